import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { compactWhenGrown } from "../../../server/git/compact.ts";
import { keepCompact } from "../../../server/git/keep-compact.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { assertSound, git as runGit } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { baseOf, openFresh, theGit } from "./support.ts";

/** So many with those that are there: the ids of a fresh repository's commits are others each time. */
async function pretendObjects(gitDir: string, count: number): Promise<void> {
  const folder = join(gitDir, "objects/17");
  await mkdir(folder, { recursive: true });
  const there = await readdir(folder);
  for (let n = there.length; n < count; n += 1) await writeFile(join(folder, `tmp_obj_${n}`), "");
}

describe("compactWhenGrown", () => {
  it("packs a repository of many objects, which is read as before", async () => {
    const git = await openFresh();
    await pretendObjects(git.gitDir, LIMITS.gitLooseObjectsMax / 256 + 1);
    expect(await compactWhenGrown({ git: await theGit(), gitDir: git.gitDir })).toBe(true);
    expect((await readdir(join(git.gitDir, "objects/pack"))).length).toBeGreaterThan(0);
    expect((await git.readCommit(await baseOf(git))).parents).toEqual([]);
    await assertSound(git.gitDir);
  });

  it("leaves references files, also in a repository of before that was said in its configuration", async () => {
    const git = await openFresh();
    await runGit(git.gitDir, ["config", "--unset", "gc.packRefs"]);
    await pretendObjects(git.gitDir, LIMITS.gitLooseObjectsMax / 256 + 1);
    await compactWhenGrown({ git: await theGit(), gitDir: git.gitDir });
    expect(await readdir(git.gitDir)).not.toContain("packed-refs");
    expect(await readdir(join(git.gitDir, "refs/heads"))).toContain("main");
  });

  it("is done with objects that nothing reaches, too: they are packed, still there, and it does not run again", async () => {
    const git = await openFresh();
    const texts = textsInFolder17(LIMITS.gitLooseObjectsMax / 256 + 1);
    const folder = await tempDir();
    const files = texts.map((_, n) => join(folder, `${n}.txt`));
    for (const [n, file] of files.entries()) await writeFile(file, texts[n] ?? "");
    await runGit(git.gitDir, ["hash-object", "-w", "--", ...files]);
    const repository = { git: await theGit(), gitDir: git.gitDir };
    expect(await compactWhenGrown(repository)).toBe(true);
    expect(await compactWhenGrown(repository)).toBe(false);
    for (const text of texts) expect(await runGit(git.gitDir, ["cat-file", "-p", blobIdOf(text)])).toBe(text);
    await assertSound(git.gitDir);
  });

  it("does nothing up to the bound, and nothing without git", async () => {
    const git = await openFresh();
    await pretendObjects(git.gitDir, Math.floor(LIMITS.gitLooseObjectsMax / 256));
    expect(await compactWhenGrown({ git: await theGit(), gitDir: git.gitDir })).toBe(false);
    await pretendObjects(git.gitDir, 1_000);
    expect(await compactWhenGrown({ git: null, gitDir: git.gitDir })).toBe(false);
  });
});

/** Texts whose blobs lie in the folder that tells for all. */
function textsInFolder17(count: number): string[] {
  const texts: string[] = [];
  for (let n = 0; texts.length < count; n += 1) {
    const text = `text ${n}`;
    if (blobIdOf(text).startsWith("17")) texts.push(text);
  }
  return texts;
}

describe("keepCompact", () => {
  it("compacts what has grown at once, says so, and says why it could not", async () => {
    const git = await openFresh();
    await pretendObjects(git.gitDir, LIMITS.gitLooseObjectsMax / 256 + 1);
    const binary = await theGit();
    expect(await firstWord({ git: binary, gitDir: git.gitDir })).toBe("compacted the repository");
    expect((await readdir(join(git.gitDir, "objects/pack"))).length).toBeGreaterThan(0);
    await pretendObjects(git.gitDir, LIMITS.gitLooseObjectsMax / 256 + 1);
    const broken = { ...binary, path: join(git.gitDir, "no-git") };
    expect(await firstWord({ git: broken, gitDir: git.gitDir })).toBe("could not compact the repository");
  });
});

function firstWord(repository: Parameters<typeof keepCompact>[0]): Promise<string> {
  return new Promise((resolve) => {
    const log = { info: (text: string) => resolve(text), warn: (_: object, text: string) => resolve(text) };
    onTestFinished(keepCompact(repository, log as Parameters<typeof keepCompact>[1]));
  });
}
