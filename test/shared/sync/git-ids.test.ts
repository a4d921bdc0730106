import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blobIdOf, treeIdOf } from "../../../shared/sync/git-ids.ts";
import { tempDir } from "../../support/temp-dir.ts";

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

describe("blobIdOf", () => {
  it.each(["", "a\n", "Grüße, 世界 🎉\n", "no newline at the end", "x".repeat(100_000)])(
    "gives git's id: %#",
    async (text) => {
      const id = git(await tempDir(), ["hash-object", "--stdin"], text);
      expect(blobIdOf(text)).toBe(id);
      expect(blobIdOf(Buffer.from(text))).toBe(id);
    },
  );

  it("hashes bytes that are no text as they are", async () => {
    const bytes = Uint8Array.from([0xff, 0x00, 0xfe, 0x0a]);
    expect(blobIdOf(bytes)).toBe(git(await tempDir(), ["hash-object", "--stdin"], Buffer.from(bytes)));
  });
});

describe("treeIdOf", () => {
  it.each([
    { name: "nothing", keys: [] },
    { name: "one file", keys: ["a.md"] },
    { name: "a file beside the folder of its name", keys: ["a.md", "a/b.md", "a-b.md", "a0.md", "a.b/c.md"] },
    {
      name: "folders that end where others go on",
      keys: ["a/x.md", "a!/x.md", "a-b/x.md", "ab/x.md", "a.b/x.md", "a0/x.md"],
    },
    { name: "nested folders", keys: ["a/b/c/d/e.md", "a/b/c.md", "a/b/c/x.md", "a/z.md", "m.md", "z/y/x.md"] },
    {
      name: "spaces and punctuation",
      keys: ["a b.md", "a b/c d.md", "100%_coverage.md", "feedback_c++.md", "a..b.md", "(x).md", "#.md"],
    },
    { name: "other scripts", keys: ["über.md", "世界/記憶.md", "ünï/cödé.md", "z.md", "مرحبا.md", "ﬀ.md"] },
    {
      name: "emoji beside high code units, which UTF-16 sorts the other way",
      keys: ["🎉.md", "\uff21.md", "\uffdc.md", "\ud800\udc00.md", "🎉/a.md", "\uff21/b.md"],
    },
    { name: "upper and lower case", keys: ["B.md", "a.md", "C/x.md", "b/x.md"] },
  ])("gives git's id for $name", async ({ keys }) => {
    const files = keys.map((key) => ({ key, text: `text of ${key}\n` }));
    const folder = await tempDir();
    expect(treeIdOf(toTreeFiles(files))).toBe(writeTree(folder, files));
    expect(treeIdOf(toTreeFiles(files).reverse())).toBe(treeIdOf(toTreeFiles(files)));
  });

  it("gives git's id for the empty tree", () => expect(treeIdOf([])).toBe(EMPTY_TREE));

  it("gives git's id for a flat folder as mktree writes it", async () => {
    const files = ["b.md", "a.md", "é.md", "a b.md"].map((key) => ({ key, blob: blobIdOf(key) }));
    const folder = await tempDir();
    git(folder, ["init", "-q"]);
    const listing = files.map(({ key, blob }) => `100644 blob ${blob}\t${key}\0`).join("");
    expect(treeIdOf(files)).toBe(git(folder, ["mktree", "-z", "--missing"], listing));
  });

  it("gives git's id for any set of names", async () => {
    const folder = await tempDir();
    git(folder, ["init", "-q"]);
    const segment = fc.stringMatching(/^[ !#a-c.\-0é世\uff21🎉]{1,4}$/u).filter((name) => !/^\.{1,2}$/.test(name));
    const key = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join("/"));
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 12 }), (all) => {
        const keys = all.filter((one) => !all.some((other) => other.startsWith(`${one}/`)));
        const files = keys.map((one) => ({ key: one, blob: blobIdOf(one) }));
        expect(treeIdOf(files)).toBe(writeIndexTree(folder, files));
      }),
      { numRuns: 40 },
    );
  });

  it("does not depend on the order of the files, nor changes it", () => {
    const files = ["b.md", "a/z.md", "a.md", "🎉.md"].map((key) => ({ key, blob: blobIdOf(key) }));
    const before = structuredClone(files);
    expect(treeIdOf(files)).toBe(treeIdOf(files.toSorted((a, b) => (a.key < b.key ? -1 : 1))));
    expect(files).toEqual(before);
  });

  it.each([
    {
      name: "a key given twice",
      files: [
        { key: "a.md", blob: blobIdOf("1") },
        { key: "a.md", blob: blobIdOf("2") },
      ],
    },
    { name: "a short id", files: [{ key: "a.md", blob: "abc" }] },
    { name: "an id that is no hex", files: [{ key: "a.md", blob: "z".repeat(40) }] },
    { name: "an id that ends in no hex", files: [{ key: "a.md", blob: `${"a".repeat(39)}z` }] },
  ])("refuses $name", ({ files }) => expect(() => treeIdOf(files)).toThrow(RangeError));

  it("takes well under a second for 10,000 files in one folder", () => {
    const files = Array.from({ length: 10_000 }, (_, i) => ({
      key: `topic_${(i * 7919) % 10_000}.md`,
      blob: blobIdOf(`${i}`),
    }));
    const started = performance.now();
    treeIdOf(files);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

interface TextFile {
  readonly key: string;
  readonly text: string;
}

function toTreeFiles(files: readonly TextFile[]) {
  return files.map(({ key, text }) => ({ key, blob: blobIdOf(text) }));
}

/** As git computes it from files on disk. */
function writeTree(folder: string, files: readonly TextFile[]): string {
  git(folder, ["init", "-q"]);
  for (const { key, text } of files) {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), text);
  }
  git(folder, ["add", "-A"]);
  return git(folder, ["write-tree"]);
}

/** As git computes it from an index alone: names that no disk holds are no obstacle. */
function writeIndexTree(folder: string, files: readonly { key: string; blob: string }[]): string {
  git(folder, ["read-tree", "--empty"]);
  git(
    folder,
    ["update-index", "-z", "--index-info"],
    files.map(({ key, blob }) => `100644 ${blob}\t${key}\0`).join(""),
  );
  return git(folder, ["write-tree", "--missing-ok"]);
}

function git(cwd: string, args: readonly string[], input: string | Buffer = ""): string {
  const env = { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", ["-c", "core.autocrlf=false", ...args], { cwd, env, input, encoding: "utf8" }).trim();
}
