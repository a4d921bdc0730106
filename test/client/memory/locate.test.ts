import { cp, mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ClientEnvironment } from "../../../client/config.ts";
import { locate } from "../../../client/memory/locate.ts";
import { updateUserConfig } from "../../../client/user-config.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { machineAt, makeRepository, writeFiles } from "./support.ts";

const SHOP = parseProjectName("github.com/acme/shop");
const SERVICE = {
  url: "https://memory.example.org",
  token: "tmt_0123456789",
  personId: "01J",
  name: "Ada",
  email: "ada@example.org",
  role: "contributor",
  insecure: false,
} as const;

async function joinShop(env: ClientEnvironment): Promise<void> {
  await updateUserConfig(env, (config) => ({
    ...config,
    services: [SERVICE],
    projects: [{ project: SHOP, service: SERVICE.url }],
  }));
}

async function makeShop() {
  const folder = await tempDir();
  const shop = await makeRepository(join(folder, "shop"), { "src/index.ts": "" });
  await git(shop, ["remote", "add", "origin", "git@github.com:acme/shop.git"]);
  return { folder, shop, ...machineAt(folder) };
}

describe("locate", () => {
  it("says where memory is, whose it is, and who holds it", async () => {
    const { shop, home, env } = await makeShop();
    await joinShop(env);
    const memoryDir = join(home, ".claude/projects", shop.replaceAll(/[^a-zA-Z0-9]/g, "-"), "memory");
    expect(locate({ cwd: join(shop, "src"), env })).toEqual({
      root: shop,
      memoryDir,
      teamDir: join(memoryDir, "team"),
      memory: { on: true },
      project: SHOP,
      remotes: { origin: "git@github.com:acme/shop.git", upstream: null },
      service: { url: SERVICE.url, token: SERVICE.token, insecure: false },
      stateFolder: `${home}/.local/state/team-memory/${encodeURIComponent(memoryDir)}`,
    });
  });

  it("knows a project that has not been joined, and a folder that is none", async () => {
    const { folder, shop, env } = await makeShop();
    expect(locate({ cwd: shop, env })).toMatchObject({ project: SHOP, service: null });
    await mkdir(join(folder, "notes"));
    expect(locate({ cwd: join(folder, "notes"), env })).toMatchObject({ project: null, service: null });
    expect(locate({ cwd: join(folder, "notes"), env, project: SHOP })).toMatchObject({ project: SHOP });
  });

  it("writes nothing", async () => {
    const { folder, shop, env } = await makeShop();
    locate({ cwd: shop, env });
    expect(await readdir(folder)).toEqual(["shop"]);
  });

  it("refuses before it believes anything that the environment says", async () => {
    const { shop, env } = await makeShop();
    await writeFiles(shop, { ".claude/settings.json": { env: { XDG_CONFIG_HOME: "/tmp/evil" } } });
    await writeFiles(env.configDir, { "config.json": "no config" });
    expect(() => locate({ cwd: shop, env })).toThrow(expect.objectContaining({ code: "steered_environment" }));
  });

  it("throws settings_invalid for a damaged config, and shows nothing of it", async () => {
    const { shop, env } = await makeShop();
    await writeFiles(env.configDir, { "config.json": '{"token": "tmt_secret' });
    expect(() => locate({ cwd: shop, env })).toThrow(expect.objectContaining({ code: "settings_invalid" }));
    expect(() => locate({ cwd: shop, env })).not.toThrow(/tmt_/);
  });
});

describe("locate (case 30)", () => {
  it("two worktrees share one memory directory and one state", async () => {
    const { folder, shop, env } = await makeShop();
    await git(shop, ["worktree", "add", "-q", join(folder, "fix")]);
    const [here, there] = [locate({ cwd: shop, env }), locate({ cwd: join(folder, "fix"), env })];
    expect(there).toEqual(here);
  });

  it("a moved clone keeps its project and gets a memory directory of its own, as the host gives it one", async () => {
    const { folder, shop, env } = await makeShop();
    await joinShop(env);
    const before = locate({ cwd: shop, env });
    await rename(shop, join(folder, "moved"));
    const after = locate({ cwd: join(folder, "moved"), env });
    expect(after).toMatchObject({ project: SHOP, service: before.service });
    expect(after.memoryDir).not.toBe(before.memoryDir);
    expect(after.stateFolder).not.toBe(before.stateFolder);
  });

  it("a moved folder without a remote has no project: the path named it, and the path is another", async () => {
    const folder = await tempDir();
    const notes = await makeRepository(join(folder, "notes"));
    const { env } = machineAt(folder);
    const root = { root: notes, project: parseProjectName("notes") };
    await updateUserConfig(env, (config) => ({ ...config, roots: [root] }));
    expect(locate({ cwd: notes, env }).project).toBe("notes");
    await cp(notes, join(folder, "copy"), { recursive: true });
    expect(locate({ cwd: join(folder, "copy"), env }).project).toBeNull();
  });

  it("an archive that claims a worktree of a joined project is shown nothing of it", async () => {
    const { folder, shop, env } = await makeShop();
    await joinShop(env);
    await git(shop, ["worktree", "add", "-q", join(folder, "fix")]);
    await writeFiles(join(folder, "archive"), { ".git": `gitdir: ${shop}/.git/worktrees/fix\n` });
    expect(locate({ cwd: join(folder, "archive"), env })).toMatchObject({ project: null, service: null });
  });
});
