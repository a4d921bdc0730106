import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { leave } from "../../../client/commands/leave.ts";
import type { ClientEnvironment } from "../../../client/config.ts";
import { buildHookEntries } from "../../../client/install/hook-entries.ts";
import { installedClientPath } from "../../../client/install/install-client.ts";
import { installHooks } from "../../../client/install/install-hooks.ts";
import { locate } from "../../../client/memory/locate.ts";
import { openAttic } from "../../../client/sync/state/attic.ts";
import { writeHead } from "../../../client/sync/state/head.ts";
import { writePack } from "../../../client/sync/state/pristine.ts";
import { emptyHead } from "../../../client/sync/state/state.ts";
import { readUserConfig, updateUserConfig } from "../../../client/user-config.ts";
import { newOwnName } from "../../../shared/path/own-name.ts";
import { type ProjectName, parseProjectName } from "../../../shared/project/parse-project-name.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { machineAt, makeRepository, writeFiles } from "../memory/support.ts";
import { optionsOf, recordingIo } from "./join-support.ts";

const SHOP = parseProjectName("github.com/acme/shop");
const CART = parseProjectName("github.com/acme/cart");
const URL = "https://memory.example.org";
const SETTINGS = '{ "model": "opus" }';
const ENTRIES = buildHookEntries({ platform: "linux", node: "/usr/bin/node", client: "/d/team-memory.cjs" });

/** A user with settings of their own, and a clone of each project. */
async function user(...names: readonly string[]) {
  const folder = await tempDir();
  const { env, home } = machineAt(folder);
  await writeFiles(home, { ".claude/settings.json": SETTINGS });
  const clones = names.map((name) => join(folder, name));
  for (const [at, clone] of clones.entries()) {
    await makeRepository(clone);
    await git(clone, ["remote", "add", "origin", `git@github.com:acme/${names[at]?.split("-")[0]}.git`]);
  }
  return { env, home, folder, clones };
}

/** The state and files that joining and pulling leave: each memory as it was pulled. */
async function joinByHand(env: ClientEnvironment, cwd: string, project: ProjectName, texts: Record<string, string>) {
  await updateUserConfig(env, (config) => ({
    ...config,
    services: [
      { url: URL, token: "tmt_0123456789", personId: "1", name: "Ada", email: "a@b", role: "reader", insecure: false },
    ],
    projects: [...config.projects.filter((entry) => entry.project !== project), { project, service: URL }],
  }));
  await installHooks(env, ENTRIES);
  await writeFiles(join(installedClientPath(env), ".."), { "team-memory.cjs": "//" });
  const { stateFolder, teamDir } = locate({ cwd, env });
  const face = { name: "n", description: "d", type: null, changedAt: "2026-01-01T00:00:00Z", changedBy: "Bob" };
  const arrivals = Object.entries(texts).map(([key, text]) => {
    return { key, text, blob: blobIdOf(text), canonicalBlob: blobIdOf(text), ...face };
  });
  const pack = writePack(stateFolder, "1.pack", arrivals);
  writeHead(stateFolder, { ...emptyHead({ server: URL, project }), packs: [pack] });
  await writeFiles(teamDir, texts);
  await writeFiles(stateFolder, { "index.cache": "# Team memory\n" });
  await writeFiles(teamDir, { "MEMORY.md": "# Team memory\n" });
  return { stateFolder, teamDir };
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

describe("leave", () => {
  it("brings the machine back to what it was before join", async () => {
    const { env, home, clones } = await user("shop");
    const [cwd = ""] = clones;
    const { teamDir } = await joinByHand(env, cwd, SHOP, { "a.md": "A\n", "deep/er/b.md": "B\n" });
    const { io, printed } = recordingIo();
    expect(await leave(optionsOf({ env, cwd }), io)).toBe(0);
    expect(await exists(teamDir)).toBe(false);
    expect(await readFile(join(home, ".claude/settings.json"), "utf8")).toBe(SETTINGS);
    expect(await readdir(join(home, ".claude"))).toEqual(["projects", "settings.json"]);
    for (const folder of [env.configDir, env.stateDir, env.dataDir]) expect(await exists(folder)).toBe(false);
    expect(printed.data).toMatchObject({
      projects: [SHOP],
      services: [URL],
      places: [{ removed: 2, kept: [], attic: null }],
      settingsFiles: [join(home, ".claude/settings.json")],
      isClientRemoved: true,
    });
    expect(printed.lines.join("\n")).toMatch(
      /joining again needs an invite for you; an admin of the service can revoke it/,
    );
    expect(printed.lines.join("\n")).not.toContain("tmt_");
  });

  it("keeps every text that may stand nowhere else, and names it", async () => {
    const { env, clones } = await user("shop");
    const [cwd = ""] = clones;
    const { teamDir, stateFolder } = await joinByHand(env, cwd, SHOP, {
      "a.md": "A\n",
      "b.md": "B\n",
      "c/d.md": "D\n",
    });
    await writeFiles(teamDir, { "b.md": "B, and mine\n", "c/mine.md": "Mine\n", "MEMORY.md": "# Team memory\nMine\n" });
    const attic = openAttic(stateFolder, new Date());
    attic.put("a.md", Buffer.from("A, and mine\n"), "replaced");
    const { io, printed } = recordingIo();
    await leave(optionsOf({ env, cwd }), io);
    expect((await readdir(teamDir, { recursive: true })).sort()).toEqual(["MEMORY.md", "b.md", "c", "c/mine.md"]);
    expect(await readdir(stateFolder)).toEqual(["attic"]);
    expect(printed.data).toMatchObject({
      places: [{ removed: 2, kept: ["MEMORY.md", "b.md", "c/mine.md"], attic: join(stateFolder, "attic") }],
    });
    expect(printed.lines.join("\n")).toContain("MEMORY.md, b.md, c/mine.md");
  });

  it("takes a file with CRLF or a BOM for the team's text: nothing of it would be lost", async () => {
    const { env, clones } = await user("shop");
    const [cwd = ""] = clones;
    const { teamDir } = await joinByHand(env, cwd, SHOP, { "a.md": "A\nA\n" });
    await writeFile(join(teamDir, "a.md"), "\uFEFFA\r\nA");
    await leave(optionsOf({ env, cwd }), recordingIo().io);
    expect(await exists(teamDir)).toBe(false);
  });

  it("touches nothing behind links", async () => {
    const { env, folder, clones } = await user("shop");
    const [cwd = ""] = clones;
    const { teamDir } = await joinByHand(env, cwd, SHOP, { "a.md": "A\n" });
    await writeFiles(folder, { "outside/b.md": "B\n" });
    await symlink(join(folder, "outside"), join(teamDir, "linked"));
    await symlink(join(folder, "outside/b.md"), join(teamDir, "b.md"));
    const { io, printed } = recordingIo();
    await leave(optionsOf({ env, cwd }), io);
    expect(await readFile(join(folder, "outside/b.md"), "utf8")).toBe("B\n");
    expect(printed.data).toMatchObject({ places: [{ removed: 1, kept: ["b.md", "linked"] }] });
  });

  it("leaves one of two projects and keeps the token, the hook and the other's files", async () => {
    const { env, home, clones } = await user("shop", "cart");
    const [shop = "", cart = ""] = clones;
    await joinByHand(env, shop, SHOP, { "a.md": "A\n" });
    const { teamDir } = await joinByHand(env, cart, CART, { "b.md": "B\n" });
    const { io, printed } = recordingIo();
    await leave(optionsOf({ env, cwd: shop }), io);
    expect(readUserConfig(env)).toMatchObject({ services: [{ url: URL }], projects: [{ project: CART }] });
    expect((await readdir(teamDir)).sort()).toEqual(["MEMORY.md", "b.md"]);
    expect(await readFile(join(home, ".claude/settings.json"), "utf8")).toContain("session-start");
    expect(printed.data).toMatchObject({ projects: [SHOP], services: [], settingsFiles: [], isClientRemoved: false });
  });

  it("undoes every clone of the project, and names its place", async () => {
    const { env, clones } = await user("shop", "shop-2");
    const [first = "", second = ""] = clones;
    const one = await joinByHand(env, first, SHOP, { "a.md": "A\n" });
    const two = await joinByHand(env, second, SHOP, { "a.md": "A\n" });
    const { io, printed } = recordingIo();
    await leave(optionsOf({ env, cwd: first }), io);
    expect(printed.lines[0]).toBe(`Left ${SHOP} on this machine, in all clones of it`);
    for (const { teamDir, stateFolder } of [one, two]) {
      expect(printed.lines).toContain(`1 memory of the team gone from ${teamDir}`);
      expect(await exists(teamDir)).toBe(false);
      expect(await exists(stateFolder)).toBe(false);
    }
  });

  it("leaves all with --all, from anywhere, and one by name with --project", async () => {
    const { env, folder, clones } = await user("shop", "cart");
    const [shop = "", cart = ""] = clones;
    await joinByHand(env, shop, SHOP, { "a.md": "A\n" });
    await joinByHand(env, cart, CART, { "b.md": "B\n" });
    await mkdir(join(folder, "elsewhere"));
    await leave(optionsOf({ env, cwd: join(folder, "elsewhere") }, { project: CART }), recordingIo().io);
    expect(readUserConfig(env).projects).toMatchObject([{ project: SHOP }]);
    await leave(optionsOf({ env, cwd: join(folder, "elsewhere") }, { all: true }), recordingIo().io);
    for (const path of [env.configDir, env.stateDir, env.dataDir]) expect(await exists(path)).toBe(false);
  });

  it("is finished by a second run where the first was stopped, and a third has nothing to do", async () => {
    const { env, home, clones } = await user("shop");
    const [cwd = ""] = clones;
    const { teamDir } = await joinByHand(env, cwd, SHOP, { "a.md": "A\n" });
    await updateUserConfig(env, () => ({ format: 1, services: [], projects: [], roots: [] }));
    await leave(optionsOf({ env, cwd }), recordingIo().io);
    expect(await exists(teamDir)).toBe(false);
    expect(await readFile(join(home, ".claude/settings.json"), "utf8")).toBe(SETTINGS);
    const { io, printed } = recordingIo();
    expect(await leave(optionsOf({ env, cwd }), io)).toBe(0);
    expect(printed.lines).toEqual(["Nothing was joined"]);
    expect(printed.data).toMatchObject({ isClientRemoved: false, settingsFiles: [] });
  });

  it("clears what a killed pull left, and keeps a text that was moved aside", async () => {
    const { env, clones } = await user("shop");
    const [cwd = ""] = clones;
    const { teamDir, stateFolder } = await joinByHand(env, cwd, SHOP, { "a.md": "A\n" });
    await writeFiles(teamDir, { [newOwnName("tmp")]: "staged\n", [newOwnName("old")]: "Mine\n" });
    await leave(optionsOf({ env, cwd }), recordingIo().io);
    expect(await exists(teamDir)).toBe(false);
    const kept = (await readdir(join(stateFolder, "attic"), { recursive: true })).filter((name) =>
      name.endsWith(".md"),
    );
    expect(kept).toHaveLength(1);
    expect(await readFile(join(stateFolder, "attic", kept[0] ?? ""), "utf8")).toBe("Mine\n");
  });

  it("keeps every file where the pristine copies are damaged", async () => {
    const { env, clones } = await user("shop");
    const [cwd = ""] = clones;
    const { teamDir, stateFolder } = await joinByHand(env, cwd, SHOP, { "a.md": "A\n" });
    await writeFile(join(stateFolder, "pristine/1.pack"), "damaged");
    await leave(optionsOf({ env, cwd }), recordingIo().io);
    expect(await readdir(teamDir)).toEqual(["a.md"]);
  });

  it("refuses a project that was not joined, a folder that is none, and steered settings", async () => {
    const { env, folder, clones } = await user("shop", "cart");
    const [shop = "", cart = ""] = clones;
    await joinByHand(env, shop, SHOP, { "a.md": "A\n" });
    await mkdir(join(folder, "elsewhere"));
    const { io } = recordingIo();
    const usage = `Say which: team-memory leave --project NAME, or --all; joined here: ${SHOP}`;
    await expect(leave(optionsOf({ env, cwd: cart }), io)).rejects.toMatchObject({
      code: "not_joined",
      details: { usage },
    });
    await expect(leave(optionsOf({ env, cwd: join(folder, "elsewhere") }), io)).rejects.toMatchObject({
      code: "no_project",
      details: { usage },
    });
    await writeFiles(cart, { ".claude/settings.json": { env: { XDG_STATE_HOME: "/tmp/evil" } } });
    await expect(leave(optionsOf({ env, cwd: cart }, { all: true }), io)).rejects.toMatchObject({
      code: "steered_environment",
    });
    expect(readUserConfig(env).projects).toHaveLength(1);
  });
});
