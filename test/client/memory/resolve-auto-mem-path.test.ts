import { mkdir, symlink } from "node:fs/promises";
import path, { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ClientEnvironment, Variables } from "../../../client/config.ts";
import { readMachineSettings } from "../../../client/memory/claude-settings.ts";
import { findCanonicalGitRoot, findRepository } from "../../../client/memory/find-git-root.ts";
import { readProjectSettings } from "../../../client/memory/project-settings.ts";
import { isAutoMemPath, parseMemoryPath, resolveAutoMemPath } from "../../../client/memory/resolve-auto-mem-path.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { machineAt, makeRepository, writeFiles } from "./support.ts";

function resolveIn(cwd: string, env: ClientEnvironment): string {
  const repository = findRepository(cwd);
  return resolveAutoMemPath({
    env,
    root: findCanonicalGitRoot(cwd),
    machineSettings: readMachineSettings(env),
    projectSettings: readProjectSettings({ cwd, repository }, env),
  });
}

async function shopWith(variables: (folder: string) => Variables = () => ({})) {
  const folder = await tempDir();
  const shop = await makeRepository(join(folder, "shop"), { "src/index.ts": "" });
  const slug = shop.replaceAll(/[^a-zA-Z0-9]/g, "-");
  return { folder, shop, slug, ...machineAt(folder, variables(folder)) };
}

describe("resolveAutoMemPath: the default", () => {
  it("lies below ~/.claude, named after the repository", async () => {
    const { shop, slug, home, env } = await shopWith();
    expect(resolveIn(join(shop, "src"), env)).toBe(join(home, ".claude/projects", slug, "memory"));
  });

  it("is one for two worktrees (case 30)", async () => {
    const { folder, shop, env } = await shopWith();
    await git(shop, ["worktree", "add", "-q", join(folder, "fix")]);
    expect(resolveIn(join(folder, "fix"), env)).toBe(resolveIn(shop, env));
  });

  it("lies below CLAUDE_CONFIG_DIR, and below CLAUDE_CODE_REMOTE_MEMORY_DIR before that", async () => {
    const { folder, shop, slug, env } = await shopWith((at) => ({ CLAUDE_CONFIG_DIR: `${at}/claude` }));
    expect(resolveIn(shop, env)).toBe(join(folder, "claude/projects", slug, "memory"));
    const remote = machineAt(folder, {
      CLAUDE_CONFIG_DIR: `${folder}/claude`,
      CLAUDE_CODE_REMOTE_MEMORY_DIR: `${folder}/mount`,
    });
    expect(resolveIn(shop, remote.env)).toBe(join(folder, "mount/projects", slug, "memory"));
  });

  it.each([
    ["only together with CLAUDE_CONFIG_DIR", { CLAUDE_CODE_PROJECT_DIR_NAME: "shop" }, false],
    ["as the folder's name", { CLAUDE_CODE_PROJECT_DIR_NAME: "shop", CLAUDE_CONFIG_DIR: "/c" }, true],
    ["never as a path", { CLAUDE_CODE_PROJECT_DIR_NAME: "../shop", CLAUDE_CONFIG_DIR: "/c" }, false],
    ["never as ..", { CLAUDE_CODE_PROJECT_DIR_NAME: "..", CLAUDE_CONFIG_DIR: "/c" }, false],
  ])("takes CLAUDE_CODE_PROJECT_DIR_NAME %s", async (_, variables, isTaken) => {
    const { shop, env } = await shopWith(() => variables);
    expect(resolveIn(shop, env) === "/c/projects/shop/memory").toBe(isTaken);
  });
});

describe("resolveAutoMemPath: CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", () => {
  it("replaces the whole path, over every setting", async () => {
    const { shop, home, env, folder } = await shopWith((at) => ({ CLAUDE_COWORK_MEMORY_PATH_OVERRIDE: `${at}/mine/` }));
    await writeFiles(home, { ".claude/settings.json": { autoMemoryDirectory: "/from/user" } });
    expect(resolveIn(shop, env)).toBe(join(folder, "mine"));
  });

  it.each(["relative/path", "~/mine", "~", "/", "/a", "//server/share", "\\\\server\\share", "C:\\", "/a\0b"])(
    "is passed over when it is %j",
    async (value) => {
      const { shop, slug, home, env } = await shopWith(() => ({ CLAUDE_COWORK_MEMORY_PATH_OVERRIDE: value }));
      expect(resolveIn(shop, env)).toBe(join(home, ".claude/projects", slug, "memory"));
    },
  );
});

describe("resolveAutoMemPath: autoMemoryDirectory", () => {
  const from = (name: string) => ({ autoMemoryDirectory: `/from/${name}` });

  it("comes from the administrator, then the developer's file in the project, then the user", async () => {
    const { folder, shop, home, env } = await shopWith();
    await writeFiles(home, { ".claude/settings.json": from("user") });
    expect(resolveIn(shop, env)).toBe("/from/user");
    await writeFiles(shop, { ".claude/settings.local.json": from("local") });
    expect(resolveIn(shop, env)).toBe("/from/local");
    await writeFiles(folder, { "managed/managed-settings.json": from("managed") });
    expect(resolveIn(shop, env)).toBe("/from/managed");
    await writeFiles(folder, { "managed/managed-settings.d/10-a.json": from("drop-in-a") });
    await writeFiles(folder, { "managed/managed-settings.d/20-b.json": from("drop-in-b") });
    await writeFiles(folder, { "managed/managed-settings.d/30-c.txt": from("no-json") });
    await writeFiles(folder, { "managed/managed-settings.d/.40-d.json": from("hidden") });
    expect(resolveIn(shop, env)).toBe("/from/drop-in-b");
  });

  it("counts for a subfolder and a worktree from the checkout's root", async () => {
    const { shop, env } = await shopWith();
    await writeFiles(shop, { ".claude/settings.local.json": from("local") });
    expect(resolveIn(join(shop, "src"), env)).toBe("/from/local");
  });

  it("takes ~/ as the home folder", async () => {
    const { shop, home, env } = await shopWith();
    await writeFiles(home, { ".claude/settings.json": { autoMemoryDirectory: "~/notes/shop/" } });
    expect(resolveIn(shop, env)).toBe(join(home, "notes/shop"));
  });

  const NOT_ALLOWED = [
    "notes",
    "./notes",
    "",
    "~",
    "~/",
    "~/.",
    "~/..",
    "~/../..",
    "~/../notes",
    "/",
    "C:",
    "//server/share",
    "/a\0b",
  ];

  it.each(NOT_ALLOWED)("leads to the default where the deciding source says %j, as in the host", async (value) => {
    const { folder, shop, slug, home, env } = await shopWith();
    await writeFiles(folder, { "managed/managed-settings.json": { autoMemoryDirectory: value } });
    await writeFiles(home, { ".claude/settings.json": from("user") });
    expect(resolveIn(shop, env)).toBe(join(home, ".claude/projects", slug, "memory"));
  });

  it.each([7, null, ["/x"]])("is not said by %j, and the next source counts", async (value) => {
    const { folder, shop, home, env } = await shopWith();
    await writeFiles(folder, { "managed/managed-settings.json": { autoMemoryDirectory: value } });
    await writeFiles(home, { ".claude/settings.json": from("user") });
    expect(resolveIn(shop, env)).toBe("/from/user");
  });

  it.each([
    ["not JSON", "{ autoMemoryDirectory: "],
    ["JSON with comments", '{ "autoMemoryDirectory": "/from/user" } // mine'],
    ["a list", "[]"],
  ])("is not read from user settings that are %s, as the host does not", async (_, text) => {
    const { shop, slug, home, env } = await shopWith();
    await writeFiles(home, { ".claude/settings.json": text });
    expect(resolveIn(shop, env)).toBe(join(home, ".claude/projects", slug, "memory"));
  });
});

describe("resolveAutoMemPath: a repository that names ~/.ssh as memory directory", () => {
  const STEAL = { autoMemoryDirectory: "~/.ssh" };

  it("has no effect from the committed project settings", async () => {
    const { shop, slug, home, env } = await shopWith();
    await mkdir(join(home, ".ssh"), { recursive: true });
    await writeFiles(shop, { ".claude/settings.json": STEAL });
    await git(shop, ["add", "."]);
    await git(shop, ["commit", "-q", "-m", "Settings"]);
    expect(resolveIn(shop, env)).toBe(join(home, ".claude/projects", slug, "memory"));
  });

  it("has no effect from project settings that are not committed either", async () => {
    const { shop, slug, home, env } = await shopWith();
    await writeFiles(shop, { ".claude/settings.json": STEAL });
    expect(resolveIn(shop, env)).toBe(join(home, ".claude/projects", slug, "memory"));
  });

  it("has no effect from committed local settings, nor in a clone of them", async () => {
    const { shop, slug, home, env } = await shopWith();
    await writeFiles(shop, { ".claude/settings.local.json": STEAL });
    await git(shop, ["add", "--force", "."]);
    await git(shop, ["commit", "-q", "-m", "Settings"]);
    expect(resolveIn(shop, env)).toBe(join(home, ".claude/projects", slug, "memory"));
    const clone = join(shop, "../clone");
    await git(shop, ["clone", "-q", shop, clone]);
    expect(resolveIn(clone, env)).toContain(join(home, ".claude/projects"));
  });

  it("has no effect from local settings that a committed link leads to", async () => {
    const { shop, slug, home, env } = await shopWith();
    await writeFiles(shop, { "config/settings.local.json": STEAL });
    await symlink("config", join(shop, ".claude"));
    await git(shop, ["add", "."]);
    await git(shop, ["commit", "-q", "-m", "Settings"]);
    expect(resolveIn(shop, env)).toBe(join(home, ".claude/projects", slug, "memory"));
  });

  it("has no effect from local settings of an unpacked archive, where no git can tell whose they are", async () => {
    const folder = await tempDir();
    const { home, env } = machineAt(folder);
    await writeFiles(join(folder, "archive"), { ".claude/settings.local.json": STEAL });
    expect(resolveIn(join(folder, "archive"), env)).toContain(join(home, ".claude/projects"));
  });
});

describe("parseMemoryPath", () => {
  it.each([
    ["C:\\notes\\shop\\", "C:\\notes\\shop"],
    ["C:/notes", "C:\\notes"],
    ["~\\notes", "C:\\Users\\ada\\notes"],
    ["C:\\", null],
    ["C:", null],
    ["C:notes", null],
    ["\\\\server\\share\\notes", null],
    ["//server/share/notes", null],
    ["\\\\?\\C:\\notes", null],
    ["~\\..", null],
    ["~\\.", null],
    ["~\\..\\notes", null],
    ["~\\..notes", "C:\\Users\\ada\\..notes"],
  ])("on Windows reads %j as %j", (value, expected) => {
    expect(parseMemoryPath(value, { home: "C:\\Users\\ada", paths: path.win32 })).toBe(expected);
  });
});

describe("isAutoMemPath", () => {
  it.each([
    ["/m/memory/team/a.md", true],
    ["/m/memory/./team/../a.md", true],
    ["/m/memory", false],
    ["/m/memory/", true],
    ["/m/memory-evil/a.md", false],
    ["/m/memory/../a.md", false],
    ["/m/memory/a\0.md", false],
    ["memory/a.md", false],
  ])("of %j is %j", (candidate, expected) => {
    expect(isAutoMemPath(candidate, "/m/memory")).toBe(expected);
    expect(isAutoMemPath(candidate, "/m/memory/")).toBe(expected);
  });
});
