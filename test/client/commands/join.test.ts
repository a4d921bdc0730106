import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join as joinPath } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ClientEnvironment } from "../../../client/config.ts";
import { locate } from "../../../client/memory/locate.ts";
import { readHead, writeHead } from "../../../client/sync/state/head.ts";
import { emptyHead } from "../../../client/sync/state/state.ts";
import { readUserConfig, updateUserConfig, userConfigPath } from "../../../client/user-config.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { git } from "../../support/git.ts";
import { writeFiles } from "../memory/support.ts";
import {
  type Clone,
  CODE,
  cloneOf,
  empty,
  exists,
  FORK,
  headOf,
  linkOf,
  memoriesOf,
  runJoin,
  SHOP,
  settingsOf,
  TOKEN,
  WELCOME,
} from "./clone-support.ts";
import { type Answers, type FakeService, failure, fakeService, type Said } from "./join-support.ts";

function defer<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe("join with a link", () => {
  it("keeps the token for its owner alone, puts the hook in, pulls, and says how to undo it", async () => {
    const clone = await cloneOf();
    const service = await fakeService(WELCOME);
    const { exit, printed } = await runJoin(clone, {}, linkOf(service));
    expect(exit).toBe(0);
    expect(readUserConfig(clone.env)).toEqual({
      format: 1,
      services: [
        {
          url: service.url,
          token: TOKEN,
          personId: "01J",
          name: "Ada",
          email: "ada@example.org",
          role: "contributor",
          insecure: false,
        },
      ],
      projects: [{ project: SHOP, service: service.url }],
      roots: [],
    });
    expect((await stat(userConfigPath(clone.env))).mode & 0o777).toBe(0o600);
    const installed = joinPath(clone.env.dataDir, "client/team-memory.cjs");
    expect(await readFile(installed, "utf8")).toBe("// client\n");
    expect(JSON.parse(await settingsOf(clone.home)).hooks.SessionStart).toHaveLength(2);
    expect(await settingsOf(clone.home)).toContain(`${process.execPath} ${installed} hook session-start --part 2`);
    expect(service.asked.map(({ line }) => line)).toEqual(["POST /v1/join", headOf(SHOP), memoriesOf(SHOP)]);
    expect(service.asked[1]?.authorization).toBe(`Bearer ${TOKEN}`);
    const said = printed.lines.join("\n");
    expect(said).toContain(`Joined ${SHOP} at ${service.url} as Ada <ada@example.org>, contributor`);
    expect(said).toContain(`node "${installed}" leave`);
    expect(said + JSON.stringify(printed.data)).not.toMatch(/tmt_|tmi_/);
  });

  it.each<[string, Record<string, string>, object]>([
    ["git's settings", {}, { name: "Ada Git", email: "ada@git.example.org" }],
    ["the flags before them", { name: "Ada L." }, { name: "Ada L.", email: "ada@git.example.org" }],
    ["the flags", { name: "Ada L.", email: "a@l.org" }, { name: "Ada L.", email: "a@l.org" }],
  ])("says who the person is by %s", async (_, values, expected) => {
    const service = await fakeService(WELCOME);
    await runJoin(await cloneOf(), values, linkOf(service));
    expect(service.asked[0]?.body).toMatchObject({ code: CODE, ...expected });
  });

  it("takes the clone's own settings before the user's, as git does, from a worktree and a folder below, too", async () => {
    const clone = await cloneOf();
    await git(clone.cwd, ["config", "user.email", "ada@work.example.org"]);
    await git(clone.cwd, ["commit", "-q", "--allow-empty", "-m", "first"]);
    await git(clone.cwd, ["worktree", "add", "-q", "../tree"]);
    await mkdir(joinPath(clone.folder, "tree/src"));
    for (const cwd of [clone.cwd, joinPath(clone.folder, "tree/src")]) {
      const service = await fakeService(WELCOME);
      await runJoin({ ...clone, cwd }, { fresh: true }, linkOf(service));
      expect(service.asked[0]?.body).toMatchObject({ name: "Ada Git", email: "ada@work.example.org" });
    }
  });

  it("follows nothing that the clone's settings name, and takes nothing from GIT_* (cases 21 and 22)", async () => {
    const clone = await cloneOf();
    await writeFiles(clone.folder, { "other.config": "[user]\n\tname = Other\n" });
    await git(clone.cwd, ["config", "include.path", joinPath(clone.folder, "other.config")]);
    const service = await fakeService(WELCOME);
    const before = { ...process.env };
    Object.assign(process.env, { GIT_DIR: joinPath(clone.cwd, ".git"), GIT_CONFIG_GLOBAL: "/dev/null" });
    try {
      await runJoin(clone, {}, linkOf(service));
    } finally {
      for (const name of ["GIT_DIR", "GIT_CONFIG_GLOBAL"]) delete process.env[name];
      Object.assign(process.env, before);
    }
    expect(service.asked[0]?.body).toMatchObject({ name: "Ada Git" });
  });

  it("sends who the person is to the team by now where they join again, and what they say of it over that", async () => {
    const clone = await cloneOf();
    const service = await fakeService(WELCOME);
    await runJoin(clone, {}, linkOf(service));
    await runJoin(clone, {}, linkOf(service));
    await runJoin(clone, { name: "Ada L." }, linkOf(service));
    const sent = service.asked.filter(({ line }) => line === "POST /v1/join").map(({ body }) => body);
    expect(sent).toMatchObject([
      { name: "Ada Git", email: "ada@git.example.org", rename: false },
      { name: "Ada", email: "ada@example.org", rename: false },
      { name: "Ada L.", email: "ada@example.org", rename: true },
    ]);
  });

  it.each([{ name: "Ada L." }, { email: "a@l.org" }])(
    "refuses %j without a link: nothing would carry it",
    async (said) => {
      const clone = await cloneOf();
      const service = await fakeService(WELCOME);
      await knowing(clone.env, service);
      await expect(runJoin(clone, said)).rejects.toMatchObject({
        code: "usage",
        message: expect.stringContaining("link"),
      });
      expect(service.asked).toEqual([]);
    },
  );

  it("prints the hook with --no-install, and leaves the host's settings alone", async () => {
    const clone = await cloneOf();
    const service = await fakeService(WELCOME);
    const { printed } = await runJoin(clone, { "no-install": true }, linkOf(service));
    expect(await exists(joinPath(clone.home, ".claude/settings.json"))).toBe(false);
    const text = printed.lines.join("\n");
    const json = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
    expect(JSON.parse(json).hooks.SessionStart).toHaveLength(2);
    expect(printed.data).toMatchObject({ hooks: { settingsFile: null, entries: { SessionStart: expect.any(Array) } } });
  });

  it("takes part although the first pull fails, with that failure's exit code", async () => {
    const clone = await cloneOf();
    const service = await fakeService({
      ...WELCOME,
      [memoriesOf(SHOP)]: { status: 503, body: failure("unavailable") },
    });
    const { exit, printed } = await runJoin(clone, {}, linkOf(service));
    expect(exit).toBe(6);
    expect(printed.data).toMatchObject({ project: SHOP, error: { code: "unavailable" } });
    expect(readUserConfig(clone.env).projects).toHaveLength(1);
  });

  it.each([
    ["the project", headOf(SHOP)],
    ["the memories", memoriesOf(SHOP)],
  ])("waits for a service that has to read all of a large project first, before it tells of %s", async (_, line) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { promise, resolve } = defer<Said>();
    const service = await fakeService({ ...WELCOME, [line]: promise });
    const joining = runJoin(await cloneOf(), {}, linkOf(service));
    while (service.asked.at(-1)?.line !== line) await new Promise((next) => setImmediate(next));
    vi.advanceTimersByTime(LIMITS.joinTimeoutMs - 1);
    resolve(await (WELCOME[line] ?? "hang up"));
    expect((await joining).printed.data).toMatchObject({ project: SHOP, error: null });
  });

  it("pulls nothing while memory is off, and says why", async () => {
    const clone = await cloneOf();
    await writeFiles(clone.home, { ".claude/settings.json": { autoMemoryEnabled: false, disableAllHooks: true } });
    const service = await fakeService(WELCOME);
    const { exit, printed } = await runJoin(clone, {}, linkOf(service));
    expect(exit).toBe(0);
    expect(service.asked.map(({ line }) => line)).not.toContain(memoriesOf(SHOP));
    expect(printed.lines.join("\n")).toMatch(/memory is off: autoMemoryEnabled is false/);
    expect(printed.lines.join("\n")).toMatch(/will not run the hooks: disableAllHooks/);
  });
});

describe("join: before the invite is used", () => {
  async function refused(clone: Clone, values: Record<string, string | boolean> = {}, link?: string) {
    const service = await fakeService(WELCOME);
    const failed = await runJoin(clone, values, link ?? linkOf(service)).catch((error) => error);
    expect(service.asked).toEqual([]);
    expect(readUserConfig(clone.env).services).toEqual([]);
    return failed;
  }

  it("refuses a folder that names no project", async () => {
    const failed = await refused(await cloneOf({}));
    expect(failed).toMatchObject({ code: "no_project" });
    expect(failed.details.usage).toMatch(/: npx -y http:\S+\/client\.tgz join LINK --project NAME$/);
  });

  it("refuses settings of the host that do not parse", async () => {
    const clone = await cloneOf();
    await writeFiles(clone.home, { ".claude/settings.json": "{,}" });
    expect(await refused(clone)).toMatchObject({ code: "settings_invalid" });
    expect(await settingsOf(clone.home)).toBe("{,}");
  });

  it("refuses a config of its own that is damaged, or cannot be written", async () => {
    const clone = await cloneOf();
    await writeFiles(joinPath(clone.env.configDir, ".."), { "team-memory": "a file where the folder would be" });
    const service = await fakeService(WELCOME);
    await expect(runJoin(clone, {}, linkOf(service))).rejects.toMatchObject({ code: "disk" });
    expect(service.asked).toEqual([]);
  });

  it("refuses a repository that steers", async () => {
    const clone = await cloneOf();
    await writeFiles(clone.cwd, { ".claude/settings.json": { env: { HOME: "/tmp/evil" } } });
    expect(await refused(clone)).toMatchObject({ code: "steered_environment" });
  });

  it("refuses to run from anything but the built client", async () => {
    const clone = await cloneOf();
    await writeFiles(clone.folder, { "main.ts": "" });
    expect(await refused({ ...clone, bundle: joinPath(clone.folder, "main.ts") })).toMatchObject({ code: "usage" });
  });

  it.each([
    ["no link", "hello", "usage"],
    ["a link without a code", "http://127.0.0.1:1/join", "usage"],
    ["a link with a short code", "http://127.0.0.1:1/join#x", "usage"],
    ["another path", `http://127.0.0.1:1/other#${CODE}`, "usage"],
    ["another scheme", `ftp://127.0.0.1:1/join#${CODE}`, "usage"],
    ["a password in it", `http://a:b@127.0.0.1:1/join#${CODE}`, "usage"],
    ["plain http to another machine", `http://memory.example.org/join#${CODE}`, "insecure_url"],
  ])("refuses %s, and never shows the code", async (_, link, code) => {
    const error = await refused(await cloneOf(), {}, link);
    expect(error).toMatchObject({ code });
    expect(String(error) + JSON.stringify(error.details)).not.toContain(CODE);
  });

  it("keeps how changes are to be proposed, also where the next join says nothing of it", async () => {
    const clone = await cloneOf();
    const service = await fakeService(WELCOME);
    await runJoin(clone, { propose: "ask" }, linkOf(service));
    expect(readUserConfig(clone.env).propose).toBe("ask");
    await runJoin(clone);
    expect(readUserConfig(clone.env).propose).toBe("ask");
    await runJoin(clone, { propose: "auto" });
    expect(readUserConfig(clone.env).propose).toBe("auto");
  });

  it("refuses --move together with --fresh, a project that is no name, and a third way to propose", async () => {
    expect(await refused(await cloneOf(), { move: true, fresh: true })).toMatchObject({ code: "usage" });
    expect(await refused(await cloneOf(), { propose: "never" })).toMatchObject({ code: "usage" });
    expect(await refused(await cloneOf(), { project: "../shop" })).toMatchObject({ code: "bad_request" });
  });

  it("allows plain http to another machine with --insecure, and remembers that", async () => {
    const service = await fakeService(WELCOME);
    // Another machine by its name, this one by where it leads.
    const link = `http://[::ffff:127.0.0.1]:${new URL(service.url).port}/join#${CODE}`;
    const clone = await cloneOf();
    await expect(runJoin(clone, {}, link)).rejects.toMatchObject({ code: "insecure_url" });
    expect(await runJoin(clone, { insecure: true }, link)).toMatchObject({ exit: 0 });
    expect(readUserConfig(clone.env).services).toMatchObject([{ insecure: true }]);
  });
});

describe("join: an invite that is used", () => {
  const USED: Answers = { ...WELCOME, "POST /v1/join": { status: 403, body: failure("invite_invalid") } };

  it("is used in a clone of what it is for alone: the service is told what this one could be about", async () => {
    const clone = await cloneOf({ origin: "git@github.com:ada/shop.git", upstream: `https://${SHOP}` });
    const service = await fakeService({
      ...WELCOME,
      "POST /v1/join": { status: 403, body: failure("invite_elsewhere") },
    });
    await updateUserConfig(clone.env, (config) => ({ ...config, services: [serviceAt(service.url)] }));
    await expect(runJoin(clone, {}, linkOf(service))).rejects.toMatchObject({ code: "invite_elsewhere" });
    expect(service.asked.map(({ body }) => body)).toMatchObject([{ projects: [FORK, SHOP] }]);
  });

  it("says that a try without an answer may have used it", async () => {
    const clone = await cloneOf();
    const service = await fakeService(USED);
    await expect(runJoin(clone, {}, linkOf(service))).rejects.toMatchObject({
      code: "invite_invalid",
      message: expect.stringContaining("an earlier try that ended without an answer has used it up"),
    });
    expect(await exists(userConfigPath(clone.env))).toBe(false);
    expect(await exists(joinPath(clone.home, ".claude/settings.json"))).toBe(false);
  });

  it.each<[string, Answers[string], string]>([
    ["hangs up", "hang up", "unreachable"],
    ["answers with something else", { status: 200, body: { hello: "you" } }, "bad_response"],
  ])("warns of that where the service %s", async (_, answer, code) => {
    const service = await fakeService({ ...WELCOME, "POST /v1/join": answer });
    await expect(runJoin(await cloneOf(), {}, linkOf(service))).rejects.toMatchObject({
      code,
      message: expect.stringContaining("may be used up now"),
    });
  });

  it("says nothing of that where nothing was sent", async () => {
    const gone = { url: "http://127.0.0.1:9" };
    const error = await runJoin(await cloneOf(), {}, linkOf(gone)).catch((failed) => failed);
    expect(error).toMatchObject({ code: "unreachable", message: "Could not reach http://127.0.0.1:9: ECONNREFUSED" });
    expect(error.row.remedy).not.toMatch(/copy/);
  });

  it("sends the token from before along with a fresh invite, to the same service alone: the person stays", async () => {
    const clone = await cloneOf();
    const service = await fakeService(WELCOME);
    const other = await fakeService(WELCOME);
    await runJoin(clone, {}, linkOf(service));
    await runJoin(clone, {}, linkOf(service));
    await runJoin(clone, { fresh: true }, linkOf(other));
    const joins = (at: FakeService) => at.asked.filter(({ line }) => line === "POST /v1/join");
    expect(joins(service).map(({ authorization }) => authorization)).toEqual([undefined, `Bearer ${TOKEN}`]);
    expect(joins(other).map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it("goes on with the token from before where the same line is pasted in another clone", async () => {
    const clone = await cloneOf();
    const service = await fakeService({ ...USED, ...empty("github.com/acme/cart") });
    await updateUserConfig(clone.env, (config) => ({ ...config, services: [serviceAt(service.url)] }));
    await git(clone.cwd, ["remote", "set-url", "origin", "https://github.com/acme/cart"]);
    const { exit, printed } = await runJoin(clone, { name: "Ada L." }, linkOf(service));
    expect(exit).toBe(0);
    expect(printed.data).toMatchObject({ project: "github.com/acme/cart", isInviteSpent: true });
    expect(printed.lines).toContain(
      "You are still Ada <ada@example.org> to the team: another name needs a fresh invite",
    );
    expect((await runJoin(clone, { name: "Ada" }, linkOf(service))).printed.lines.join()).not.toContain(
      "You are still",
    );
  });
});

const serviceAt = (url: string) =>
  ({
    url,
    token: TOKEN,
    personId: "01J",
    name: "Ada",
    email: "ada@example.org",
    role: "contributor",
    insecure: false,
  }) as const;

async function knowing(env: ClientEnvironment, ...services: readonly FakeService[]) {
  await updateUserConfig(env, (config) => ({ ...config, services: services.map(({ url }) => serviceAt(url)) }));
}

describe("join without a link", () => {
  it("adds this folder's project at the service that is known", async () => {
    const clone = await cloneOf();
    const service = await fakeService(WELCOME);
    await knowing(clone.env, service);
    const { exit } = await runJoin(clone);
    expect(exit).toBe(0);
    expect(service.asked.map(({ line }) => line)).not.toContain("POST /v1/join");
    expect(readUserConfig(clone.env).projects).toEqual([{ project: SHOP, service: service.url }]);
  });

  it("changes nothing the second time", async () => {
    const clone = await cloneOf();
    await knowing(clone.env, await fakeService(WELCOME));
    await runJoin(clone);
    const before = [await settingsOf(clone.home), await readFile(userConfigPath(clone.env), "utf8")];
    const { printed } = await runJoin(clone);
    expect([await settingsOf(clone.home), await readFile(userConfigPath(clone.env), "utf8")]).toEqual(before);
    expect(printed.data).toMatchObject({ hooks: { isChanged: false } });
  });

  it("needs a link while no service is known", async () => {
    await expect(runJoin(await cloneOf())).rejects.toMatchObject({ code: "not_joined" });
  });

  it("asks every service, and takes the one that shows the project", async () => {
    const clone = await cloneOf();
    const [other, holder] = [await fakeService({}), await fakeService(WELCOME)];
    await knowing(clone.env, other, holder);
    await runJoin(clone);
    expect(readUserConfig(clone.env).projects).toEqual([{ project: SHOP, service: holder.url }]);
  });

  it("does not choose between two services", async () => {
    const clone = await cloneOf();
    await knowing(clone.env, await fakeService(WELCOME), await fakeService(WELCOME));
    await expect(runJoin(clone)).rejects.toMatchObject({ code: "usage" });
  });

  it.each<[string, Answers[string], string]>([
    ["may not be seen", { status: 404, body: failure("not_found") }, "not_found"],
    ["takes another role", { status: 403, body: failure("forbidden") }, "not_found"],
    ["takes another token", { status: 401, body: failure("unauthorized") }, "unauthorized"],
    ["is at a service that is down", { status: 503, body: failure("unavailable") }, "unavailable"],
  ])("installs nothing for a project that %s", async (_, answer, code) => {
    const clone = await cloneOf();
    await knowing(clone.env, await fakeService({ [headOf(SHOP)]: answer ?? "hang up" }));
    await expect(runJoin(clone)).rejects.toMatchObject({ code });
    expect(readUserConfig(clone.env).projects).toEqual([]);
    expect(await exists(joinPath(clone.home, ".claude"))).toBe(false);
    expect(await exists(clone.env.dataDir)).toBe(false);
  });
});

describe("join: which project (case 30)", () => {
  const FORKED = { origin: "git@github.com:ada/shop.git", upstream: "https://github.com/acme/shop.git" };

  it("of a fork and its upstream takes the one that the token may see", async () => {
    const clone = await cloneOf(FORKED);
    await knowing(clone.env, await fakeService(WELCOME));
    await runJoin(clone);
    expect(locate({ cwd: clone.cwd, env: clone.env }).project).toBe(SHOP);
  });

  it("asks where it may see both, and remembers the answer for this root", async () => {
    const clone = await cloneOf(FORKED);
    await knowing(clone.env, await fakeService({ ...WELCOME, ...empty(FORK) }));
    await expect(runJoin(clone)).rejects.toMatchObject({ code: "ambiguous_project" });
    await runJoin(clone, { project: FORK });
    await runJoin(clone, { project: SHOP, fresh: true });
    expect(readUserConfig(clone.env).roots).toEqual([{ root: clone.cwd, project: SHOP }]);
    expect(locate({ cwd: clone.cwd, env: clone.env }).project).toBe(SHOP);
  });

  it("takes a name for a folder without a remote, without git too", async () => {
    const clone = await cloneOf({});
    const notes = joinPath(clone.folder, "notes");
    await mkdir(notes);
    await knowing(clone.env, await fakeService(empty("notes/ada")));
    await runJoin({ ...clone, cwd: notes }, { project: "notes/ada" });
    expect(locate({ cwd: notes, env: clone.env }).project).toBe("notes/ada");
    expect(locate({ cwd: clone.cwd, env: clone.env }).project).toBeNull();
  });
});

describe("join: copies of another project or service", () => {
  const WAS = { server: "https://old.example.org", project: SHOP };

  async function cloneWithCopies() {
    const clone = await cloneOf();
    const service = await fakeService(WELCOME);
    await knowing(clone.env, service);
    const { stateFolder, teamDir } = locate({ cwd: clone.cwd, env: clone.env });
    await writeFiles(stateFolder, { "index.cache": "# Team memory\n" });
    await writeFiles(teamDir, { "MEMORY.md": "# Team memory\n" });
    await writeFile(joinPath(teamDir, "mine.md"), "Mine\n");
    writeHead(stateFolder, { ...emptyHead(WAS), etag: '"old"' });
    return { clone, service, stateFolder, teamDir };
  }

  it("are not mixed without a word of the user's", async () => {
    const { clone, stateFolder } = await cloneWithCopies();
    await expect(runJoin(clone)).rejects.toMatchObject({ code: "state_moved" });
    expect(readHead(stateFolder)).toMatchObject(WAS);
    expect(readUserConfig(clone.env).projects).toEqual([]);
  });

  it("stay with --move", async () => {
    const { clone, service, stateFolder, teamDir } = await cloneWithCopies();
    expect(await runJoin(clone, { move: true })).toMatchObject({ exit: 0 });
    expect(readHead(stateFolder)).toMatchObject({ server: service.url, project: SHOP });
    expect(service.asked.at(-1)).toMatchObject({ line: memoriesOf(SHOP), ifNoneMatch: undefined });
    expect(await readdir(teamDir)).toContain("mine.md");
  });

  it("go with --fresh, but for what stands nowhere else", async () => {
    const { clone, service, stateFolder, teamDir } = await cloneWithCopies();
    const { printed } = await runJoin(clone, { fresh: true });
    expect(printed.data).toMatchObject({ cleared: { removed: 0, kept: ["mine.md"] } });
    expect(printed.lines).toContain(
      "The copies that were here are gone, to be pulled anew; 1 file kept, for the text may stand nowhere else",
    );
    expect(readHead(stateFolder)).toMatchObject({ server: service.url, project: SHOP });
    expect(await readFile(joinPath(teamDir, "mine.md"), "utf8")).toBe("Mine\n");
  });
});
