import { chmod, readdir, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { looseObjectPath } from "../../../server/git/loose-object.ts";
import { openEmbeddedRepository } from "../../../server/git/open-embedded.ts";
import { planBatches } from "../../../server/git/read-blobs.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { assertSound, git as runGit } from "../../support/git.ts";
import { BASE, baseOf, commitTexts, openFresh, theGit } from "./support.ts";

const TEXT = Buffer.from("a memory\n");

async function spoil(path: string, how: (path: string) => Promise<void>): Promise<void> {
  await chmod(path, 0o644);
  await how(path);
}

describe("loose objects", () => {
  it.each([
    ["empty", (path: string) => truncate(path, 0)],
    ["cut short", (path: string) => truncate(path, 5)],
    ["full of zeros", (path: string) => writeFile(path, Buffer.alloc(30))],
  ])("that are %s hide no other, and are healed by writing the same again", async (_, how) => {
    const git = await openFresh();
    const [id, other] = [await git.writeBlob(TEXT), await git.writeBlob(Buffer.from("other"))];
    await spoil(looseObjectPath(git.gitDir, id), how);
    expect([...(await git.readBlobs([id, other], 100)).keys()]).toEqual([other]);
    expect(await git.writeBlob(TEXT)).toBe(id);
    expect((await git.readBlobs([id], 100)).get(id)).toEqual(TEXT);
    await assertSound(git.gitDir);
  });

  it("that exist are left alone, but made young, so that git's prune spares them", async () => {
    const git = await openFresh();
    const path = looseObjectPath(git.gitDir, await git.writeBlob(TEXT));
    const { ino } = await stat(path);
    await utimes(path, 0, 0);
    await git.writeBlob(TEXT);
    const after = await stat(path);
    expect(after.ino).toBe(ino);
    expect(Date.now() - after.mtimeMs).toBeLessThan(60_000);
  });

  it("are written by many at once without harm", async () => {
    const git = await openFresh();
    const ids = await Promise.all(Array.from({ length: 50 }, () => git.writeBlob(TEXT)));
    expect(new Set(ids).size).toBe(1);
    const folder = join(looseObjectPath(git.gitDir, ids[0]!), "..");
    expect(await readdir(folder)).toHaveLength(1);
  });

  it("whose content is another's are damaged, not served", async () => {
    const git = await openFresh();
    const [one, other] = [await git.writeBlob(TEXT), await git.writeBlob(Buffer.from("other"))];
    await runGit(git.gitDir, [
      "-c",
      "alias.put=!cp -f",
      "put",
      ...[one, other].map((id) => looseObjectPath(git.gitDir, id)),
    ]);
    expect((await git.readBlobs([other], 100)).size).toBe(0);
  });
});

describe.each([
  ["with git", true],
  ["without git", false],
])("packed objects, read %s", (_, withGit) => {
  async function openPacked() {
    const binary = withGit ? await theGit() : null;
    const git = await openFresh(binary);
    const texts = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`o/${n}.md`, `text ${n}\n`.repeat(50)]));
    const commit = await commitTexts(git, await baseOf(git), { ...texts, "large.md": "x".repeat(100_000) });
    await git.publish([{ ref: BASE, expectedOld: await baseOf(git), new: commit }]);
    const entries = (await git.readTree((await git.readCommit(commit)).tree, 100)).filter(
      ({ name }) => name !== "README.md",
    );
    const folder = entries.find(({ name }) => name === "o")!;
    const files = await git.readTree(folder.id, 100);
    const large = entries.find(({ name }) => name === "large.md")!;
    return { git, commit, files, large };
  }

  it("are seen as soon as they are packed, without a refresh", async () => {
    const { git, commit, files } = await openPacked();
    const before = await git.readBlobs(
      files.map(({ id }) => id),
      10_000,
    );
    await runGit(git.gitDir, ["gc", "-q", "--prune=now"]);
    expect((await git.readCommit(commit)).id).toBe(commit);
    expect(
      await git.readBlobs(
        files.map(({ id }) => id),
        10_000,
      ),
    ).toEqual(before);
    expect(before.size).toBe(40);
  });

  it("over the bound are null", async () => {
    const { git, large } = await openPacked();
    await runGit(git.gitDir, ["gc", "-q", "--prune=now"]);
    expect((await git.readBlobs([large.id], 99_999)).get(large.id)).toBeNull();
    expect((await git.readBlobs([large.id], 100_000)).get(large.id)).toHaveLength(100_000);
  });

  it("are read through a repack that replaces every pack", async () => {
    const { git, commit, files } = await openPacked();
    await runGit(git.gitDir, ["gc", "-q", "--prune=now"]);
    await git.readCommit(commit);
    await commitTexts(git, commit, { "more.md": "more" });
    await runGit(git.gitDir, ["repack", "-adfq"]);
    expect(
      (
        await git.readBlobs(
          files.map(({ id }) => id),
          10_000,
        )
      ).size,
    ).toBe(40);
    expect((await git.readCommit(commit)).id).toBe(commit);
  });

  it("are read beside a pack whose index is empty or gone, and after a repair", async () => {
    const { git, commit } = await openPacked();
    await runGit(git.gitDir, ["repack", "-adq"]);
    const kept = await packNames(git.gitDir);
    const next = await commitTexts(git, commit, { "more.md": "more" });
    await runGit(git.gitDir, ["update-ref", "refs/heads/x", next]);
    await runGit(git.gitDir, ["repack", "-dq"]);
    const [newer] = (await packNames(git.gitDir)).filter((name) => !kept.includes(name));
    await spoil(join(git.gitDir, "objects/pack", newer!.replace(/pack$/, "idx")), (path) => truncate(path, 0));
    const reopened = await openEmbeddedRepository({ folder: join(git.gitDir, ".."), git: null, baseRef: BASE });
    expect((await reopened.readCommit(commit)).id).toBe(commit);
    await expect(reopened.readCommit(next)).rejects.toMatchObject({ code: "not_found" });
    await utimes(join(git.gitDir, "objects/pack", newer!), 0, 0);
    const healed = await openEmbeddedRepository({ folder: join(git.gitDir, ".."), git: await theGit(), baseRef: BASE });
    expect((await healed.readCommit(next)).id).toBe(next);
    expect(healed.healed.join()).toContain("indexed the pack");
  });

  it("in a damaged pack hide no loose one", async () => {
    const { git, files } = await openPacked();
    await runGit(git.gitDir, ["gc", "-q", "--prune=now"]);
    for (const name of await packNames(git.gitDir)) {
      await spoil(join(git.gitDir, "objects/pack", name), (path) => truncate(path, 40));
    }
    const loose = await git.writeBlob(TEXT);
    await git.refresh();
    expect([...(await git.readBlobs([files[0]!.id, loose], 1_000)).keys()]).toEqual([loose]);
  });

  it("that arrive in a pack pushed from elsewhere are seen after a refresh", async () => {
    const { git } = await openPacked();
    await git.refresh();
    const elsewhere = await openPacked();
    await runGit(elsewhere.git.gitDir, ["gc", "-q"]);
    await runGit(git.gitDir, [
      "-c",
      "fetch.unpackLimit=1",
      "fetch",
      "-q",
      elsewhere.git.gitDir,
      "+refs/heads/main:refs/heads/pushed",
    ]);
    await git.refresh();
    expect((await git.readCommit(elsewhere.commit)).id).toBe(elsewhere.commit);
    await rm(elsewhere.git.gitDir, { recursive: true });
  });
});

async function packNames(gitDir: string): Promise<readonly string[]> {
  return (await readdir(join(gitDir, "objects/pack"))).filter((name) => name.endsWith(".pack"));
}

describe("planBatches", () => {
  const half = LIMITS.gitOutputSizeBytesMax / 2;

  it.each([
    ["none", [], []],
    ["all in one answer", [half, half], [[0, 1]]],
    ["as many as fit", [half, half, 1], [[0, 1], [2]]],
    ["one that fills an answer alone", [1, half * 2, 1], [[0], [1], [2]]],
  ])("asks for %s", (_, sizes, expected) => {
    const ids = sizes.map((_size, index) => `id${index}`);
    const batches = planBatches(ids, new Map(ids.map((id, index) => [id, sizes[index] ?? 0])));
    expect(batches).toEqual(expected.map((batch) => batch.map((index) => `id${index}`)));
  });
});
