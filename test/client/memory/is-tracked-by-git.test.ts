import { symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isTrackedByGit } from "../../../client/memory/is-tracked-by-git.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { makeRepository, writeFiles } from "./support.ts";

const FILE = ".claude/settings.local.json";

async function shopWithOwnFile() {
  const shop = await makeRepository(join(await tempDir(), "shop"), { ".claude/settings.json": {} });
  await writeFiles(shop, { [FILE]: {} });
  return { shop, file: join(shop, FILE) };
}

describe("isTrackedByGit", () => {
  it("is false for a file that git does not know", async () => {
    const { file } = await shopWithOwnFile();
    expect(isTrackedByGit(file)).toBe(false);
  });

  it("is true from the moment the file is added, and false again once git forgets it", async () => {
    const { shop, file } = await shopWithOwnFile();
    await git(shop, ["add", "--force", FILE]);
    expect(isTrackedByGit(file)).toBe(true);
    await git(shop, ["rm", "-q", "--cached", FILE]);
    expect(isTrackedByGit(file)).toBe(false);
  });

  it("is false in a repository without any index", async () => {
    const folder = await tempDir();
    await git(folder, ["init", "-q"]);
    await writeFiles(folder, { [FILE]: {} });
    expect(isTrackedByGit(join(folder, FILE))).toBe(false);
  });

  it("is true for a name in another case: many disks give both the same file", async () => {
    const { shop, file } = await shopWithOwnFile();
    const blob = await git(shop, ["hash-object", "-w", file]);
    await git(shop, ["update-index", "--add", "--cacheinfo", `100644,${blob},.Claude/Settings.local.JSON`]);
    expect(isTrackedByGit(file)).toBe(true);
  });

  it("asks a worktree's own index", async () => {
    const { shop } = await shopWithOwnFile();
    const fix = join(shop, "../fix");
    await git(shop, ["worktree", "add", "-q", fix]);
    await writeFiles(fix, { [FILE]: {} });
    expect(isTrackedByGit(join(fix, FILE))).toBe(false);
    await git(fix, ["add", "--force", FILE]);
    expect(isTrackedByGit(join(fix, FILE))).toBe(true);
    expect(isTrackedByGit(join(shop, FILE))).toBe(false);
  });

  it("asks the submodule that .claude is", async () => {
    const { shop } = await shopWithOwnFile();
    const settings = await makeRepository(join(shop, "../settings"), { "settings.local.json": {} });
    const other = await makeRepository(join(shop, "../other"));
    await git(other, ["submodule", "add", "-q", settings, ".claude"]);
    expect(isTrackedByGit(join(other, FILE))).toBe(true);
  });

  it.each([
    ["an index of version 3", ["update-index", "--index-version", "3"], false],
    ["a compressed index, version 4", ["update-index", "--index-version", "4"], true],
    ["a split index", ["update-index", "--split-index"], true],
  ])("with %s is in doubt or not", async (_, args, expected) => {
    const { shop, file } = await shopWithOwnFile();
    await git(shop, args);
    expect(isTrackedByGit(file)).toBe(expected);
  });

  it("is true where a sparse index has the folder alone", async () => {
    const shop = await makeRepository(join(await tempDir(), "shop"), { [FILE]: {}, "src/index.ts": "" });
    await git(shop, ["sparse-checkout", "set", "--cone", "--sparse-index", "src"]);
    expect(await git(shop, ["ls-files", "--sparse"])).toContain(".claude/\n");
    await writeFiles(shop, { [FILE]: {} });
    expect(isTrackedByGit(join(shop, FILE))).toBe(true);
  });

  it("is true for a link, for what lies behind one, and for a file that is not there", async () => {
    const { shop, file } = await shopWithOwnFile();
    await symlink(file, join(shop, ".claude/link.json"));
    await symlink(join(shop, ".claude"), join(shop, "linked"));
    expect(isTrackedByGit(join(shop, ".claude/link.json"))).toBe(true);
    expect(isTrackedByGit(join(shop, "linked/settings.local.json"))).toBe(true);
    expect(isTrackedByGit(join(shop, ".claude/gone.json"))).toBe(true);
  });

  it("is true outside of git, with an index that is none, and with one over its bound", async () => {
    const folder = await tempDir();
    await writeFiles(folder, { [FILE]: {} });
    expect(isTrackedByGit(join(folder, FILE))).toBe(true);
    const { shop, file } = await shopWithOwnFile();
    await truncate(join(shop, ".git/index"), LIMITS.gitIndexSizeBytesMax);
    expect(isTrackedByGit(file)).toBe(false);
    await truncate(join(shop, ".git/index"), LIMITS.gitIndexSizeBytesMax + 1);
    expect(isTrackedByGit(file)).toBe(true);
    await writeFiles(shop, { ".git/index": "no index" });
    expect(isTrackedByGit(file)).toBe(true);
  });
});
