import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { treeIdOf } from "../../../shared/sync/git-ids.ts";
import { git } from "../../support/git.ts";
import { memoryText } from "../../support/memory-text.ts";
import {
  ANA,
  cloneRemote,
  merge,
  openAll,
  openEngine,
  type Remote,
  SHOP,
  SHOP_FOLDER,
  textsOf,
  toRequest,
} from "./support.ts";

const GOOD = memoryText("Good");

interface RawEntry {
  readonly mode: string;
  readonly name: string | Buffer;
  readonly id: string;
}

/** Writes objects that no porcelain would: a `team` folder with these entries, on the base. */
async function pushRawTeam(remote: Remote, entries: readonly RawEntry[]): Promise<void> {
  let tree = await writeObject(remote, "tree", toTree(entries));
  for (const segment of SHOP_FOLDER.split("/").reverse()) {
    tree = await writeObject(remote, "tree", toTree([{ mode: "40000", name: segment, id: tree }]));
  }
  const parent = await remote.port.readRef("refs/heads/main");
  const commit = await git(remote.gitDir, ["commit-tree", tree, "-p", parent ?? "", "-m", "Hostile"]);
  await remote.port.publish([{ ref: "refs/heads/main", expectedOld: parent, new: commit }]);
}

function toTree(entries: readonly RawEntry[]): Buffer {
  const parts = entries.flatMap(({ mode, name, id }) => [
    Buffer.from(`${mode} `),
    Buffer.from(name),
    Buffer.from([0]),
    Buffer.from(id, "hex"),
  ]);
  return Buffer.concat(parts);
}

async function writeObject({ gitDir }: Remote, type: string, input: Buffer): Promise<string> {
  const args = ["--git-dir", gitDir, "hash-object", "-w", "--literally", "-t", type, "--stdin"];
  const { stdout } = spawnSync("git", args, { input });
  return stdout.toString().trim();
}

const rulesOf = async (engine: Awaited<ReturnType<typeof openAll>>["engine"]) =>
  (await engine.quarantine(SHOP)).files.map(({ path, rule }) => [path, rule]);

describe("bad keys and bad files already in the remote (one bad key must not stop the others)", () => {
  it.each([
    { name: "a link", entry: { mode: "120000", name: "link.md" }, shown: ["link.md", "R-LINK"] },
    { name: "a submodule", entry: { mode: "160000", name: "sub.md" }, shown: ["sub.md", "R-SUBMODULE"] },
    { name: "a setuid file", entry: { mode: "104755", name: "s.md" }, shown: ["s.md", "R-MODE"] },
    { name: "a way out", entry: { mode: "100644", name: ".." }, shown: ["..", "R-DOTSEG"] },
    { name: "a slash in one name", entry: { mode: "100644", name: "a/b.md" }, shown: ["a/b.md", "R-NAME"] },
    { name: "no name", entry: { mode: "100644", name: "" }, shown: ["", "R-NAME"] },
    {
      name: "bytes that are not UTF-8",
      entry: { mode: "100644", name: Buffer.from("a\xff.md", "latin1") },
      shown: [expect.stringContaining("a"), "R-NAME"],
    },
    { name: "a line break", entry: { mode: "100644", name: "a\n.md" }, shown: ["a\\u{a}.md", "R-CTRL"] },
    {
      name: "an escape for the terminal",
      entry: { mode: "100644", name: "\u001b[2J.md" },
      shown: ["\\u{1b}[2J.md", "R-CTRL"],
    },
    { name: "a drive letter", entry: { mode: "100644", name: "C:x.md" }, shown: ["C:x.md", "R-COLON"] },
    { name: "a device", entry: { mode: "100644", name: "con.md" }, shown: ["con.md", "R-WINRES"] },
    { name: "the index", entry: { mode: "100644", name: "MEMORY.md" }, shown: ["MEMORY.md", "R-RESERVED"] },
    { name: "another kind of file", entry: { mode: "100644", name: "x.sh" }, shown: ["x.sh", "R-EXT"] },
  ])("$name is quarantined with its rule, and the good file served", async ({ entry, shown }) => {
    const { remote, engine } = await openAll();
    const id = await writeObject(remote, "blob", Buffer.from(GOOD));
    await pushRawTeam(remote, [
      { ...entry, id },
      { mode: "100644", name: "good.md", id },
    ]);
    await engine.refresh();
    expect(await textsOf(engine)).toEqual({ "good.md": GOOD });
    expect(await rulesOf(engine)).toEqual([shown]);
    expect(await engine.head(SHOP)).toMatchObject({ memories: 1, quarantined: 1 });
    await merge(engine, { "next.md": memoryText("Next") });
    expect(Object.keys(await textsOf(engine))).toEqual(["good.md", "next.md"]);
  });

  it("a name that stands there twice is nobody's, as a file and as a folder", async () => {
    const { remote, engine } = await openAll();
    const id = await writeObject(remote, "blob", Buffer.from(GOOD));
    const folder = await writeObject(remote, "tree", toTree([{ mode: "100644", name: "in.md", id }]));
    const twice = [
      { mode: "100644", name: "a.md", id },
      { mode: "100644", name: "a.md", id },
    ];
    const both = [
      { mode: "120000", name: "b", id },
      { mode: "40000", name: "b", id: folder },
    ];
    await pushRawTeam(remote, [...twice, ...both, { mode: "100644", name: "good.md", id }]);
    await engine.refresh();
    expect(Object.keys(await textsOf(engine))).toEqual(["good.md"]);
    expect((await rulesOf(engine)).map(([, rule]) => rule)).toEqual(Array(4).fill("R-NAME"));
  });

  it("a folder with a bad name is one line, whatever lies in it", async () => {
    const { remote, engine } = await openAll();
    const id = await writeObject(remote, "blob", Buffer.from(GOOD));
    const inside = [1, 2, 3].map((n) => ({ mode: "100644", name: `${n}.md`, id }));
    const folder = await writeObject(remote, "tree", toTree(inside));
    await pushRawTeam(remote, [
      { mode: "40000", name: ".git", id: folder },
      { mode: "40000", name: "good", id: folder },
    ]);
    await engine.refresh();
    expect(await rulesOf(engine)).toEqual([[".git", "R-DOTFILE"]]);
    expect(Object.keys(await textsOf(engine))).toEqual(["good/1.md", "good/2.md", "good/3.md"]);
  });

  it("an executable file is served as a plain one", async () => {
    const { remote, engine } = await openAll();
    const id = await writeObject(remote, "blob", Buffer.from(GOOD));
    await pushRawTeam(remote, [{ mode: "100755", name: "good.md", id }]);
    await engine.refresh();
    expect((await engine.head(SHOP)).tree).toBe(treeIdOf([{ key: "good.md", blob: id }]));
    expect((await engine.quarantine(SHOP)).files).toEqual([]);
  });

  it("a bomb of folders within folders ends at the budget, and the files above it are served", async () => {
    const { remote, engine } = await openAll();
    const id = await writeObject(remote, "blob", Buffer.from(GOOD));
    let bomb = await writeObject(remote, "tree", toTree([{ mode: "100644", name: "x.md", id }]));
    for (let level = 0; level < 10; level += 1) {
      const names = [..."0123456789"];
      bomb = await writeObject(remote, "tree", toTree(names.map((name) => ({ mode: "40000", name, id: bomb }))));
    }
    await pushRawTeam(remote, [
      { mode: "40000", name: "0", id: bomb },
      { mode: "100644", name: "good.md", id },
    ]);
    const startedAt = performance.now();
    await engine.refresh();
    expect(await textsOf(engine)).toEqual({ "good.md": GOOD });
    expect((await rulesOf(engine)).every(([, rule]) => rule === "R-BUDGET" || rule === "R-DEPTH")).toBe(true);
    expect((await engine.quarantine(SHOP)).files.length).toBeLessThanOrEqual(LIMITS.quarantinedListedMax);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  }, 30_000);

  it.each([
    { name: "UTF-16", bytes: Buffer.from(`\ufeff${GOOD}`, "utf16le"), rule: "R-ENCODING" },
    { name: "Latin-1", bytes: Buffer.from("caf\xe9\n", "latin1"), rule: "R-ENCODING" },
    { name: "binary", bytes: Buffer.from("a\0b"), rule: "R-ENCODING" },
    { name: "too large", bytes: Buffer.alloc(LIMITS.memorySizeBytesMax + 1, "x"), rule: "R-SIZE" },
  ])("a file that is $name is quarantined, and can be replaced by a proposal", async ({ bytes, rule }) => {
    const { remote, engine } = await openAll();
    const bad = await writeObject(remote, "blob", bytes);
    const id = await writeObject(remote, "blob", Buffer.from(GOOD));
    await pushRawTeam(remote, [
      { mode: "100644", name: "bad.md", id: bad },
      { mode: "100644", name: "good.md", id },
    ]);
    await engine.refresh();
    expect(await rulesOf(engine)).toEqual([["bad.md", rule]]);
    await merge(engine, { "bad.md": memoryText("Mended") });
    expect(await textsOf(engine)).toEqual({ "bad.md": memoryText("Mended"), "good.md": GOOD });
  });

  it("other projects are served whatever one holds", async () => {
    const { remote, engine } = await openAll();
    const clone = await cloneRemote(remote);
    await clone.commit({ "x.txt": "x", "../../../../projects-of-nobody.md": GOOD, "../../Acme/team/a.md": GOOD });
    await clone.push();
    await engine.refresh();
    expect(await engine.listProjects()).toEqual([{ project: SHOP, memories: 0, openProposals: 0 }]);
  });
});

describe("Foo.md and foo.md, NFC and NFD", () => {
  it("the one older in history is served, in every process, until it goes", async () => {
    const { remote, engine } = await openAll();
    await merge(engine, { "foo.md": GOOD });
    const clone = await cloneRemote(remote);
    await clone.commit({ "Foo.md": memoryText("Younger"), "docs/a.md": GOOD });
    await clone.commit({ "Docs/b.md": memoryText("Other folder") });
    await clone.push();
    await engine.refresh();
    for (const each of [engine, await openEngine(remote)]) {
      expect(Object.keys(await textsOf(each)).sort()).toEqual(["docs/a.md", "foo.md"]);
      expect(await rulesOf(each)).toEqual([
        ["Foo.md", "R-COLLISION"],
        ["Docs/b.md", "R-COLLISION"],
      ]);
    }
    await merge(engine, { "foo.md": null });
    expect(Object.keys(await textsOf(engine)).sort()).toEqual(["Foo.md", "docs/a.md"]);
  });

  it("of one age the first in byte order is served", async () => {
    const { remote, engine } = await openAll();
    const clone = await cloneRemote(remote);
    await clone.commit({ "foo.md": GOOD, "FOO.md": GOOD, "Foo.md": GOOD });
    await clone.push();
    await engine.refresh();
    expect(Object.keys(await textsOf(engine))).toEqual(["FOO.md"]);
  });

  it("a file that is a folder of another is quarantined when it is the younger one", async () => {
    const { remote, engine } = await openAll();
    await merge(engine, { "x.md": GOOD });
    const clone = await cloneRemote(remote);
    await clone.commit({ "X.md/y.md": GOOD });
    await clone.push();
    await engine.refresh();
    expect(await rulesOf(engine)).toEqual([["X.md/y.md", "R-FILE-DIR"]]);
  });

  it("a name in NFD is quarantined by itself, and the NFC one served", async () => {
    const { remote, engine } = await openAll();
    const clone = await cloneRemote(remote);
    await clone.git("config", "core.precomposeunicode", "false");
    await clone.commit({ "caf\u0065\u0301.md": GOOD, "caf\u00e9.md": GOOD });
    await clone.push();
    await engine.refresh();
    expect(Object.keys(await textsOf(engine))).toEqual(["caf\u00e9.md"]);
    expect((await engine.quarantine(SHOP)).files).toMatchObject([{ rule: "R-NFC" }]);
  });

  it("the second is refused when it is proposed", async () => {
    const { engine } = await openAll();
    await merge(engine, { "foo.md": GOOD });
    const put = engine.putProposal(SHOP, "01JH0000000000000000000000", toRequest({ "FOO.md": GOOD }), ANA);
    await expect(put).rejects.toMatchObject({
      details: { keys: [{ key: "FOO.md", code: "key_collision", rule: "R-COLLISION" }] },
    });
  });
});

describe("frontmatter as people really write it", () => {
  it.each([
    { name: "a colon in the description", text: "---\nname: x\ndescription: a: b\ntype: feedback\n---\nBody\n" },
    { name: "a tab", text: "---\nname:\tx\n\tdescription: y\n---\nBody\n" },
    { name: "a key twice", text: "---\nname: x\nname: y\n---\nBody\n" },
    { name: "no as a name", text: "---\nname: no\n---\nBody\n" },
    { name: "a date as a name", text: "---\nname: 2026-03-05\n---\nBody\n" },
    { name: "no closing line", text: "---\nname: x\nBody\n" },
    { name: "a long value", text: `---\nname: ${"x".repeat(20_000)}\n---\nBody\n` },
    { name: "an alias bomb", text: `---\na: &a [x,x]\nb: &b [*a,*a]\nname: *b\n---\nBody\n` },
    { name: "a script", text: "---js\n{ name: process.exit(1) }\n---\nBody\n" },
  ])("$name: still listed, with a name", async ({ text }) => {
    const { remote, engine } = await openAll();
    const clone = await cloneRemote(remote);
    await clone.commit({ "feedback_x.md": text });
    await clone.push();
    await engine.refresh();
    const { upserts } = (await engine.memories(SHOP, { proposals: [] })).body;
    expect(upserts).toMatchObject([{ key: "feedback_x.md", text, name: expect.stringMatching(/./) }]);
  });
});
