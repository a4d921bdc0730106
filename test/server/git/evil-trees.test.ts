/** Trees as hostile people make them: read, named, and left as they are when something beside them changes. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDiskPort } from "../../../server/git/disk-port.ts";
import { readLooseObject } from "../../../server/git/loose-object.ts";
import type { GitId, GitPort, TreeEntry } from "../../../server/git/port.ts";
import { git as runGit } from "../../support/git.ts";
import { mustRun } from "../../support/run.ts";
import { openTeardown, scratchFolder } from "../../support/teardown.ts";

const MAKER = join(import.meta.dirname, "../../fixtures/make-evil-repo.sh");
const ENTRIES_MAX = 50_000;

let gitDir: string;
let git: GitPort;
let branches: ReadonlyMap<string, GitId>;

const teardown = openTeardown();
afterAll(teardown.end);

beforeAll(async () => {
  const folder = await scratchFolder(teardown.onEnd);
  await mustRun("bash", [MAKER, folder], { cwd: folder, env: { PATH: process.env["PATH"] ?? "" } });
  gitDir = join(folder, "evil.git");
  git = await openDiskPort({ gitDir, git: null, baseRef: "refs/heads/good" });
  branches = await git.readRefs("refs/heads/");
}, 60_000);

async function rootOf(branch: string): Promise<GitId> {
  return (await git.readCommit(branches.get(`refs/heads/${branch}`) ?? "")).tree;
}

async function entriesOf(branch: string): Promise<readonly TreeEntry[]> {
  return git.readTree(await rootOf(branch), ENTRIES_MAX);
}

describe("readTree on hostile trees", () => {
  it("reads the root of every one of them", async () => {
    expect(branches.size).toBeGreaterThan(40);
    for (const branch of shortNames(branches)) expect(await entriesOf(branch), branch).not.toHaveLength(0);
  });

  it.each([
    ["dotdot-tree", ["40000 .."]],
    ["slash-dotdot", ["100644 ../evil.md"]],
    ["slash-absolute", ["100644 /tmp/abs.md"]],
    ["dotgit-hfs", ["40000 .g\\u{200c}it"]],
    ["symlink-abs", ["120000 evil.md"]],
    ["symlink-and-tree", ["120000 a", "40000 a"]],
    ["gitlink", ["160000 sub"]],
    ["executable", ["100755 run.md"]],
    ["mode-setuid", ["104755 suid.md"]],
    ["mode-fifo", ["10644 fifo.md"]],
    ["mode-zero-padded", ["0100644 zero.md"]],
    ["duplicate-blob", ["100644 a.md", "100644 a.md"]],
    ["unsorted", ["100644 b.md", "100644 a.md"]],
    ["empty-name", ["100644 "]],
    ["backslash", ["100644 ..\\\\evil.md"]],
    ["newline", ["100644 a\\u{a}b.md"]],
    ["ansi-escape", ["100644 \\u{1b}]0;title\\u{7}.md"]],
    ["case-pair", ["100644 A.md", "100644 a.md"]],
    ["null-oid", ["100644 null.md"]],
  ])("shows %s as it lies there", async (branch, expected) => {
    expect((await entriesOf(branch)).map(({ mode, display }) => `${mode} ${display}`)).toEqual(expected);
  });

  it("gives no name where the bytes are not UTF-8, and keeps such entries apart", async () => {
    const entries = await entriesOf("bad-utf8");
    expect(entries.map(({ name }) => name)).toEqual([null, null]);
    expect(new Set(entries.map(({ display }) => display)).size).toBe(2);
  });

  it("keeps a name's Unicode form", async () => {
    expect((await entriesOf("nfc-nfd-pair")).map(({ name }) => name)).toEqual(["cafe\u0301.md", "caf\u00e9.md"]);
  });

  it("says damaged for the one folder that is none, not for the tree that names it", async () => {
    const [entry] = await entriesOf("type-mismatch");
    await expect(git.readTree(entry!.id, ENTRIES_MAX)).rejects.toMatchObject({ code: "repository_damaged" });
  });

  it("says too large for a folder of more entries than wanted", async () => {
    const root = await rootOf("files-20000");
    expect(await git.readTree(root, 20_000)).toHaveLength(20_000);
    await expect(git.readTree(root, 19_999)).rejects.toMatchObject({ code: "too_large" });
  });
});

describe("readBlobs on hostile trees", () => {
  it("does not hand out twenty megabytes of zeros that weigh twenty kilobytes", async () => {
    const [entry] = await entriesOf("blob-20MB");
    const before = process.memoryUsage().arrayBuffers;
    expect((await git.readBlobs([entry!.id], 64 * 1024)).get(entry!.id)).toBeNull();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  });

  it("leaves out what is missing", async () => {
    const [entry] = await entriesOf("null-oid");
    expect((await git.readBlobs([entry!.id], 1000)).size).toBe(0);
  });
});

describe("commitChanges beside hostile entries", () => {
  it("keeps their bytes", async () => {
    const blob = await git.writeBlob(Buffer.from("new\n"));
    const who = { name: "Ann", email: "ann@example.org" };
    for (const branch of shortNames(branches)) {
      const parent = branches.get(`refs/heads/${branch}`) ?? "";
      const changes = [{ path: "m.new", blob }];
      const commit = await git.commitChanges({
        parents: [parent],
        changes,
        author: who,
        committer: who,
        at: new Date(0),
        message: "m",
      });
      const before = await rawTree(await rootOf(branch));
      const after = await rawTree((await git.readCommit(commit)).tree);
      const added = `${Buffer.from("100644 m.new\0").toString("hex")}${blob}`;
      expect(after.replace(added, ""), branch).toBe(before);
      expect(after, branch).not.toBe(before);
    }
  }, 60_000);
});

/** In hexadecimal. */
async function rawTree(id: GitId): Promise<string> {
  const object = await readLooseObject(gitDir, id, 10_000_000);
  return object?.content.toString("hex") ?? "";
}

describe("hostile trees in a pack", () => {
  it("read as they did when they were loose", async () => {
    const loose = new Map<string, readonly TreeEntry[]>();
    for (const branch of shortNames(branches)) loose.set(branch, await entriesOf(branch));
    // Git packs nothing that leads nowhere, names a blob as a folder or has no name.
    for (const branch of ["null-oid", "type-mismatch", "empty-name"]) await runGit(gitDir, ["branch", "-D", branch]);
    await runGit(gitDir, ["repack", "-adq"]);
    await git.refresh();
    for (const branch of shortNames(await git.readRefs("refs/heads/"))) {
      expect(await entriesOf(branch), branch).toEqual(loose.get(branch));
    }
  }, 60_000);
});

function shortNames(refs: ReadonlyMap<string, GitId>): readonly string[] {
  return [...refs.keys()].map((ref) => ref.replace("refs/heads/", ""));
}
