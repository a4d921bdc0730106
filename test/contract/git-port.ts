/** What every git port must do, whatever lies behind it. */
import { describe, expect, it } from "vitest";
import type { GitPort, TreeEntry } from "../../server/git/port.ts";
import { BASE, baseOf, COMMIT_DEFAULTS, commitTexts } from "../server/git/support.ts";

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const MISSING = "1234567890123456789012345678901234567890";
const BRANCH = "refs/heads/team-memory/01HZZZZZZZZZZZZZZZZZZZZZZZ";

export function describeGitPort(name: string, openPort: () => Promise<GitPort>): void {
  describe(`GitPort: ${name}`, () => {
    describe("references", () => {
      it("readRef answers null for a reference that is not there", async () => {
        expect(await (await openPort()).readRef("refs/heads/none")).toBeNull();
      });

      it.each([
        "HEAD",
        "refs/tags/x",
        "refs/heads/",
        "refs/heads/../../config",
        "refs/heads/a..b",
        "refs/heads/.hidden",
        "refs/heads/a.lock",
        "refs/heads/a.lock/b",
        "refs/heads/a b",
        "refs/heads/a\nb",
        "refs/heads/a//b",
        "refs/heads/a/",
        "refs/heads/a.",
        "refs/heads/a@{1}",
        "refs/heads/a~1",
        "refs/heads/a\\b",
        `refs/heads/${"a".repeat(300)}`,
      ])("readRef and publish refuse the name %j", async (ref) => {
        const git = await openPort();
        const base = await baseOf(git);
        await expect(git.readRef(ref)).rejects.toMatchObject({ code: "bad_request" });
        await expect(git.publish([{ ref, expectedOld: null, new: base }])).rejects.toMatchObject({
          code: "bad_request",
        });
      });

      it("readRefs lists what begins with the prefix, sorted by name", async () => {
        const git = await openPort();
        const base = await baseOf(git);
        const names = ["refs/heads/team-memory/b", "refs/heads/team-memory/a", "refs/team-memory/state"];
        for (const ref of names) await git.publish([{ ref, expectedOld: null, new: base }]);
        expect([...(await git.readRefs("refs/heads/team-memory/")).keys()]).toEqual([names[1], names[0]]);
        expect([...(await git.readRefs("refs/heads/")).keys()]).toEqual([BASE, names[1], names[0]]);
        expect((await git.readRefs("refs/heads/none/")).size).toBe(0);
      });
    });

    describe("publish", () => {
      it("moves a reference from exactly the expected value", async () => {
        const git = await openPort();
        const base = await baseOf(git);
        const next = await commitTexts(git, base, { "a.md": "a" });
        expect(await git.publish([{ ref: BASE, expectedOld: base, new: next }])).toEqual({ kind: "published" });
        expect(await git.readRef(BASE)).toBe(next);
      });

      it("tells which reference was no longer as expected, and moves none", async () => {
        const git = await openPort();
        const base = await baseOf(git);
        const next = await commitTexts(git, base, { "a.md": "a" });
        const updates = [
          { ref: BRANCH, expectedOld: null, new: next },
          { ref: BASE, expectedOld: next, new: next },
        ];
        expect(await git.publish(updates)).toEqual({ kind: "lost", ref: BASE });
        expect(await git.readRef(BRANCH)).toBeNull();
        expect(await git.readRef(BASE)).toBe(base);
      });

      it("creates only what is not there, and deletes only what is as expected", async () => {
        const git = await openPort();
        const base = await baseOf(git);
        expect(await git.publish([{ ref: BRANCH, expectedOld: null, new: base }])).toEqual({ kind: "published" });
        expect(await git.publish([{ ref: BRANCH, expectedOld: null, new: base }])).toEqual({
          kind: "lost",
          ref: BRANCH,
        });
        expect(await git.publish([{ ref: BRANCH, expectedOld: MISSING, new: null }])).toEqual({
          kind: "lost",
          ref: BRANCH,
        });
        expect(await git.publish([{ ref: BRANCH, expectedOld: base, new: null }])).toEqual({ kind: "published" });
        expect(await git.readRef(BRANCH)).toBeNull();
      });

      it("moves the base and deletes a branch together", async () => {
        const git = await openPort();
        const base = await baseOf(git);
        const next = await commitTexts(git, base, { "a.md": "a" });
        await git.publish([{ ref: BRANCH, expectedOld: null, new: next }]);
        const merge = [
          { ref: BRANCH, expectedOld: next, new: null },
          { ref: BASE, expectedOld: base, new: next },
        ];
        expect(await git.publish(merge)).toEqual({ kind: "published" });
        expect([...(await git.readRefs("refs/"))]).toEqual([[BASE, next]]);
      });

      it("refuses to point at what is no commit", async () => {
        const git = await openPort();
        const blob = await git.writeBlob(Buffer.from("x"));
        const move = (id: string) => git.publish([{ ref: BRANCH, expectedOld: null, new: id }]);
        await expect(move(MISSING)).rejects.toMatchObject({ code: "not_found" });
        await expect(move(blob)).rejects.toMatchObject({ code: "repository_damaged" });
      });

      it("lets one of many writers through", async () => {
        const git = await openPort();
        const base = await baseOf(git);
        const rivals = await Promise.all(
          Array.from({ length: 20 }, (_, n) => commitTexts(git, base, { "a.md": `${n}` })),
        );
        const outcomes = await Promise.all(
          rivals.map((id) => git.publish([{ ref: BASE, expectedOld: base, new: id }])),
        );
        expect(outcomes.filter(({ kind }) => kind === "published")).toHaveLength(1);
      });
    });

    describe("commits", () => {
      it("carry author, committer, time in UTC, parents and message exactly", async () => {
        const git = await openPort();
        const base = await baseOf(git);
        const committer = { name: "team-memory", email: "bot@example.org" };
        const id = await commitTexts(git, base, {}, { committer, message: "subject\n\nbody\n\nKey: value" });
        expect(await git.readCommit(id)).toEqual({
          id,
          tree: (await git.readCommit(base)).tree,
          parents: [base],
          author: { ...COMMIT_DEFAULTS.author, at: COMMIT_DEFAULTS.at },
          committer: { ...committer, at: COMMIT_DEFAULTS.at },
          message: "subject\n\nbody\n\nKey: value\n",
        });
      });

      it("are the same object when everything is the same", async () => {
        const git = await openPort();
        const base = await baseOf(git);
        expect(await commitTexts(git, base, { "a.md": "a" })).toBe(await commitTexts(git, base, { "a.md": "a" }));
      });

      it.each([
        ["a header of its own", "Ann\nparent 1234 <x>", "Annparent 1234 x"],
        ["nothing but blanks", "  ", "ann@example.org"],
        ["crud at its ends", ' ."Ann O\'Neill", ', "Ann O'Neill"],
        ["letters of any script", "Анна 山田", "Анна 山田"],
      ])("keep a name with %s from breaking the object", async (_, name, expected) => {
        const git = await openPort();
        const author = { name, email: "ann@example.org" };
        const id = await commitTexts(git, await baseOf(git), {}, { author });
        expect((await git.readCommit(id)).author.name).toBe(expected);
      });

      it("have a clean message: LF, no controls, no trailing blanks, one final newline", async () => {
        const git = await openPort();
        const message = "\r\n subject \r\n\r\n\r\n\r\nbody\u0000\u001b[31m  \n\n\n";
        const id = await commitTexts(git, await baseOf(git), {}, { message });
        expect((await git.readCommit(id)).message).toBe(" subject\n\nbody[31m\n");
      });

      it.each([
        ["no id", "../../HEAD"],
        ["an id of nothing", MISSING],
        ["a null id", "0".repeat(40)],
      ])("readCommit refuses %s with not_found", async (_, id) => {
        await expect((await openPort()).readCommit(id)).rejects.toMatchObject({ code: "not_found" });
      });

      it("commitRoot has no parents and stands on an empty tree", async () => {
        const git = await openPort();
        const id = await git.commitRoot({ ...COMMIT_DEFAULTS, changes: [] });
        expect(await git.readCommit(id)).toMatchObject({ parents: [], tree: EMPTY_TREE });
        expect(await git.readTree(EMPTY_TREE, 10)).toEqual([]);
      });
    });

    describe("trees", () => {
      it("hold files by path; folders appear with their first file and go with their last", async () => {
        const git = await openPort();
        const one = await commitTexts(git, await baseOf(git), { "d/e/a.md": "a", "d/b.md": "b" });
        expect(await listPaths(git, one)).toEqual(expect.arrayContaining(["d/b.md", "d/e/a.md"]));
        const two = await commitTexts(git, one, { "d/e/a.md": null });
        expect(await listPaths(git, two)).not.toContain("d/e/a.md");
        expect(await listNames(git, two, "d")).toEqual(["b.md"]);
        const three = await commitTexts(git, two, { "d/b.md": null });
        expect(await listNames(git, three, "")).not.toContain("d");
      });

      it("are in git's order, in which a folder sorts as if its name ended in a slash", async () => {
        const git = await openPort();
        const id = await commitTexts(git, await baseOf(git), {
          "o/x.md": "",
          "o/x/y.md": "",
          "o/x-y.md": "",
          "o/x0": "",
        });
        expect(await listNames(git, id, "o")).toEqual(["x-y.md", "x.md", "x", "x0"]);
      });

      it("change nothing when what is removed is not there", async () => {
        const git = await openPort();
        const base = await baseOf(git);
        const before = await commitTexts(git, base, { "a/b.md": "b" });
        const after = await commitTexts(git, before, { "a/c.md": null, "x/y/z.md": null, a: null });
        expect((await git.readCommit(after)).tree).toBe((await git.readCommit(before)).tree);
      });

      it("refuse a file in a folder's place and a folder in a file's place", async () => {
        const git = await openPort();
        const before = await commitTexts(git, await baseOf(git), { "a/b.md": "b", "f.md": "f" });
        await expect(commitTexts(git, before, { a: "x" })).rejects.toMatchObject({ code: "key_collision" });
        await expect(commitTexts(git, before, { "f.md/x.md": "x" })).rejects.toMatchObject({ code: "key_collision" });
      });

      it("turn a file into a folder, and back, when the one is removed with the other set", async () => {
        const git = await openPort();
        const file = await commitTexts(git, await baseOf(git), { "a.md": "a" });
        const folder = await commitTexts(git, file, { "a.md": null, "a.md/b.md": "b" });
        expect(await listNames(git, folder, "a.md")).toEqual(["b.md"]);
        const back = await commitTexts(git, folder, { "a.md": "a", "a.md/b.md": null });
        expect((await git.readCommit(back)).tree).toBe((await git.readCommit(file)).tree);
      });

      it.each([
        "",
        "/a.md",
        "a//b.md",
        "a/",
        "./a.md",
        "a/../b.md",
        ".git/config",
        "a/.GIT/x",
        "a/.g\u200cit/x",
        "git~1/x",
        ".git./x",
        ".git::$INDEX_ALLOCATION/x",
        "a\\b.md",
        "a\u0000b.md",
        "\ud800.md",
      ])("refuse to hold the path %j", async (path) => {
        const git = await openPort();
        const set = commitTexts(git, await baseOf(git), { [path]: "x" });
        await expect(set).rejects.toMatchObject({ code: "path_traversal" });
      });

      it.each(["a b.md", "日本/メモ.md", "🎉.md", "a..b.md", "100%_c++.md", ".gitignore", "...md", "git~2.md"])(
        "hold the path %j and give the same name back",
        async (path) => {
          const git = await openPort();
          expect(await listPaths(git, await commitTexts(git, await baseOf(git), { [path]: "x" }))).toContain(path);
        },
      );

      it("are read up to the bound on entries and not past it", async () => {
        const git = await openPort();
        const texts = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`o/${n}.md`, "x"]));
        const id = await commitTexts(git, await baseOf(git), texts);
        const tree = (await entryAt(git, id, "o")).id;
        expect(await git.readTree(tree, 10)).toHaveLength(10);
        await expect(git.readTree(tree, 9)).rejects.toMatchObject({ code: "too_large" });
      });

      it("that are missing or are something else are damage", async () => {
        const git = await openPort();
        const blob = await git.writeBlob(Buffer.from("x"));
        await expect(git.readTree(MISSING, 10)).rejects.toMatchObject({ code: "repository_damaged" });
        await expect(git.readTree(blob, 10)).rejects.toMatchObject({ code: "repository_damaged" });
      });
    });

    describe("blobs", () => {
      it("come back byte for byte, under git's id", async () => {
        const git = await openPort();
        const bytes = Buffer.from([0, 255, 13, 10, 200]);
        const id = await git.writeBlob(bytes);
        expect(await git.writeBlob(Buffer.from("hello\n"))).toBe("ce013625030ba8dba906f756967f9e9ca394464a");
        expect(Buffer.from((await git.readBlobs([id], 100)).get(id) ?? [])).toEqual(bytes);
      });

      it("over the bound are null, at the bound they are read", async () => {
        const git = await openPort();
        const [at, over] = [await git.writeBlob(Buffer.alloc(100, "a")), await git.writeBlob(Buffer.alloc(101, "a"))];
        const blobs = await git.readBlobs([at, over], 100);
        expect(blobs.get(at)).toHaveLength(100);
        expect(blobs.get(over)).toBeNull();
      });

      it("that are not there, or are no blobs, are left out and hide no other", async () => {
        const git = await openPort();
        const { tree } = await git.readCommit(await baseOf(git));
        const id = await git.writeBlob(Buffer.from("x"));
        expect([...(await git.readBlobs([MISSING, "0".repeat(40), tree, id, id], 1000)).keys()]).toEqual([id]);
        expect((await git.readBlobs([], 100)).size).toBe(0);
      });

      it("may be empty", async () => {
        const git = await openPort();
        const id = await git.writeBlob(Buffer.alloc(0));
        expect((await git.readBlobs([id], 0)).get(id)).toHaveLength(0);
      });
    });
  });
}

async function entryAt(git: GitPort, commit: string, path: string): Promise<TreeEntry> {
  let entry: TreeEntry = { mode: "40000", name: "", display: "", id: (await git.readCommit(commit)).tree };
  for (const name of path === "" ? [] : path.split("/")) {
    const found = (await git.readTree(entry.id, 100_000)).find((other) => other.name === name);
    if (found === undefined) throw new Error(`nothing at ${path}`);
    entry = found;
  }
  return entry;
}

async function listNames(git: GitPort, commit: string, folder: string): Promise<readonly (string | null)[]> {
  return (await git.readTree((await entryAt(git, commit, folder)).id, 100_000)).map(({ name }) => name);
}

async function listPaths(git: GitPort, commit: string): Promise<readonly string[]> {
  const walk = async (tree: string, above: string): Promise<string[]> => {
    const paths: string[] = [];
    for (const { mode, name, id } of await git.readTree(tree, 100_000)) {
      if (mode === "40000") paths.push(...(await walk(id, `${above}${name}/`)));
      else paths.push(`${above}${name}`);
    }
    return paths;
  };
  return walk((await git.readCommit(commit)).tree, "");
}
