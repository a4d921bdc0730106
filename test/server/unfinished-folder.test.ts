import { spawnSync } from "node:child_process";
import { access, mkdir, readdir, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OWN_LOCK_TEXT } from "../../server/git/lock-owner.ts";
import { openUnfinishedFolder, sweepUnfinished } from "../../server/unfinished-folder.ts";
import { LIMITS } from "../../shared/limits.ts";
import { tempDir } from "../support/temp-dir.ts";

const NAME = ".team-memory-0123456789abcdef.unfinished";
const DEAD = OWN_LOCK_TEXT.replace(/"pid":\d+/, `"pid":${spawnSync("true").pid}`);
const ELSEWHERE = OWN_LOCK_TEXT.replace(/"space":"[^"]*"/, '"space":"elsewhere"');
const OLD = LIMITS.unfinishedFolderAgeMs + 60_000;
const YOUNG = LIMITS.unfinishedFolderAgeMs - 60_000;

describe("openUnfinishedFolder", () => {
  it("makes a folder that nobody else may enter, beside its target, and takes it away", async () => {
    const parent = await tempDir();
    const { path, remove } = await openUnfinishedFolder(join(parent, "out"));
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect(await sweepUnfinished(parent)).toEqual([]);
    await remove();
    expect(await readdir(parent)).toEqual([]);
  });

  it("takes away first what a killed one has left there", async () => {
    const parent = await tempDir();
    await leave(parent, { owner: DEAD });
    const { path } = await openUnfinishedFolder(join(parent, "out"));
    expect(await readdir(parent)).toEqual([path.slice(parent.length + 1)]);
  });

  it("says which target it could not be made for", async () => {
    await expect(openUnfinishedFolder("/no/such/folder/out")).rejects.toMatchObject({
      code: "disk",
      message: "Could not write /no/such/folder/out (ENOENT)",
    });
  });
});

describe("sweepUnfinished", () => {
  it.each([
    { what: "of a process that has ended", owner: DEAD, goes: true },
    { what: "of one that lives", owner: OWN_LOCK_TEXT, ageMs: OLD, goes: false },
    { what: "of one that cannot be seen, young", owner: ELSEWHERE, ageMs: YOUNG, goes: false },
    { what: "of one that cannot be seen, old", owner: ELSEWHERE, ageMs: OLD, goes: true },
    { what: "that was never owned, young", owner: null, files: [], ageMs: YOUNG, goes: false },
    { what: "that was never owned, old", owner: null, files: [], ageMs: OLD, goes: true },
    { what: "with files and no owner: not ours", owner: null, ageMs: OLD, goes: false },
    { what: "with another name", name: "team-memory.unfinished", owner: DEAD, goes: false },
  ])("a folder $what goes: $goes", async (left) => {
    const parent = await tempDir();
    const path = await leave(parent, left);
    expect(await sweepUnfinished(parent)).toEqual(left.goes ? [path] : []);
    expect(await readdir(parent)).toHaveLength(left.goes ? 0 : 1);
  });

  it("follows no link to another folder", async () => {
    const parent = await tempDir();
    const elsewhere = await leave(await tempDir(), { owner: DEAD });
    await symlink(elsewhere, join(parent, NAME));
    expect(await sweepUnfinished(parent)).toEqual([]);
    await access(join(elsewhere, "bundle"));
  });

  it("of a folder that is not there sweeps nothing", async () => {
    expect(await sweepUnfinished("/no/such/folder")).toEqual([]);
  });
});

interface Left {
  readonly name?: string;
  readonly owner: string | null;
  readonly files?: readonly string[];
  readonly ageMs?: number;
}

async function leave(parent: string, { name = NAME, owner, files = ["bundle"], ageMs = 0 }: Left): Promise<string> {
  const path = join(parent, name);
  await mkdir(path);
  for (const file of files) await writeFile(join(path, file), "half of it");
  if (owner !== null) await writeFile(join(path, "owner"), owner);
  const at = new Date(Date.now() - ageMs);
  await utimes(path, at, at);
  return path;
}
