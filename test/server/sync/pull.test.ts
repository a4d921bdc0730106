import { join } from "node:path";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import type { GitPort } from "../../../server/git/port.ts";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { blobIdOf, treeIdOf } from "../../../shared/sync/git-ids.ts";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import {
  cloneRemote,
  EMPTY_TREE,
  merge,
  OTHER,
  openAll,
  openEngine,
  openRemote,
  RITA,
  SHOP,
  toRequest,
} from "./support.ts";

const A = memoryText("A");
const A2 = memoryText("A", "Second.");
const B = memoryText("B");
const NONE = { proposals: [] };

describe("memories", () => {
  it("is everything for who has nothing, and what changed for who has an older tree", async () => {
    const { engine } = await openAll();
    await merge(engine, { "a.md": A, "b.md": B });
    const first = (await engine.memories(SHOP, NONE)).body;
    expect(first).toMatchObject({ full: true, removals: [], tree: treeIdOf(first.upserts) });
    await merge(engine, { "a.md": A2, "b.md": null, "c.md": memoryText("C") });
    const { body } = await engine.memories(SHOP, { ...NONE, since: first.tree });
    expect(body).toMatchObject({ full: false, removals: ["b.md"] });
    expect(body.upserts.map(({ key, blob }) => [key, blob])).toEqual([
      ["a.md", blobIdOf(A2)],
      ["c.md", blobIdOf(memoryText("C"))],
    ]);
    const same = await engine.memories(SHOP, { ...NONE, since: body.tree });
    expect(same.body).toMatchObject({ full: false, upserts: [], removals: [] });
  });

  it("knows the trees of before its start", async () => {
    const { remote, engine } = await openAll();
    await merge(engine, { "a.md": A });
    const { tree } = await engine.head(SHOP);
    await merge(engine, { "b.md": B });
    const { body } = await (await openEngine(remote)).memories(SHOP, { ...NONE, since: tree });
    expect(body).toMatchObject({ full: false, upserts: [{ key: "b.md" }] });
  });

  it.each([
    { name: "that no project ever had", sinceOf: async () => "f".repeat(40) },
    { name: "of another project", sinceOf: async (other: string) => other },
    { name: "of a commit, not a tree", sinceOf: async (_other: string, revision: string) => revision },
  ])("is everything for a tree $name", async ({ sinceOf }) => {
    const { engine } = await openAll();
    await merge(engine, { "secret.md": memoryText("Secret") }, OTHER);
    await merge(engine, { "a.md": A });
    const { tree: other, revision } = await engine.head(OTHER);
    const { body } = await engine.memories(SHOP, { ...NONE, since: await sinceOf(other, revision) });
    expect(body).toMatchObject({ full: true, removals: [], upserts: [{ key: "a.md" }] });
  });

  it("is everything for the raw tree of a folder of which a part is in quarantine, and changes for the served one", async () => {
    const { remote, engine } = await openAll();
    const clone = await cloneRemote(remote);
    await clone.commit({ "a.md": A, "bad.txt": "no memory" });
    await clone.push();
    await engine.refresh();
    const { tree } = await engine.head(SHOP);
    const raw = await clone.git("rev-parse", `HEAD:projects/${SHOP}/team`);
    expect(tree).toBe(treeIdOf([{ key: "a.md", blob: blobIdOf(A) }]));
    await merge(engine, { "b.md": B });
    for (const each of [engine, await openEngine(remote)]) {
      expect((await each.memories(SHOP, { ...NONE, since: raw })).body.full).toBe(true);
    }
    const { body } = await engine.memories(SHOP, { ...NONE, since: tree });
    expect(body).toMatchObject({ full: false, upserts: [{ key: "b.md" }], quarantined: 1 });
  });

  it("shares one body between all who ask the same, and its ETag follows tree and outcomes", async () => {
    const { engine } = await openAll();
    await merge(engine, { "a.md": A });
    const [one, other] = await Promise.all([engine.memories(SHOP, NONE), engine.memories(SHOP, NONE)]);
    expect(other.body).toBe(one.body);
    await merge(engine, { "x.md": A }, OTHER);
    const after = await engine.memories(SHOP, NONE);
    expect(after.body).toBe(one.body);
    expect(after.etag).toBe(one.etag);
    const { id } = await merge(engine, { "b.md": B });
    const named = { proposals: [id] };
    const told = await engine.memories(SHOP, named);
    expect(told.etag).not.toBe((await engine.memories(SHOP, NONE)).etag);
    expect(engine.recallEtag(SHOP, named)).toBeNull();
    expect(await engine.memoriesEtag(SHOP, named)).toBe(told.etag);
    expect(engine.recallEtag(SHOP, named)).toBe(told.etag);
    expect(await engine.memoriesEtag(SHOP, NONE)).toBe((await engine.memories(SHOP, NONE)).etag);
    expect((await engine.memories(OTHER, named)).outcomes).toEqual({});
  });

  it("of a project that nobody has written to is empty", async () => {
    const { engine } = await openAll();
    const { body } = await engine.memories(SHOP, NONE);
    expect(body).toMatchObject({ tree: EMPTY_TREE, full: true, upserts: [], quarantined: 0 });
    await expect(engine.memory(SHOP, "a.md" as never)).rejects.toMatchObject({ code: "not_found" });
    await expect(engine.history(SHOP, "a.md" as never)).rejects.toMatchObject({ code: "not_found" });
  });

  it("keeps bytes as they lie in git: the blob is the id of the text", async () => {
    const { remote, engine } = await openAll();
    const clone = await cloneRemote(remote);
    await clone.git("config", "core.autocrlf", "false");
    const texts = {
      "bom.md": `\ufeff${A}`,
      "crlf.md": B.replaceAll("\n", "\r\n"),
      "end.md": "no newline",
      "empty.md": "",
    };
    await clone.commit(texts);
    await clone.push();
    await engine.refresh();
    const { upserts } = (await engine.memories(SHOP, NONE)).body;
    expect(Object.fromEntries(upserts.map(({ key, text }) => [key, text]))).toEqual(texts);
    for (const { blob, text } of upserts) expect(blob).toBe(blobIdOf(text));
    const put = engine.putProposal;
    const bases = [blobIdOf(texts["crlf.md"]), blobIdOf(B)];
    for (const [index, baseBlob] of bases.entries()) {
      const id = `01JH000000000000000000000${index}`;
      const changes = [{ key: "crlf.md", baseBlob, text: memoryText("B", `Next ${index}.`) }];
      expect((await put(SHOP, id, { seq: 1, changes }, RITA)).created).toBe(true);
    }
  });
});

describe("revision", () => {
  it("that another process has just pushed is looked for; one that nobody has is 503, never an older tree", async () => {
    const { remote, engine } = await openAll();
    const clone = await cloneRemote(remote);
    await clone.commit({ "a.md": A });
    await clone.push();
    const revision = await clone.git("rev-parse", "HEAD");
    expect((await engine.memories(SHOP, { ...NONE, revision })).body).toMatchObject({
      revision,
      upserts: [{ text: A }],
    });
    const unknown = { ...NONE, revision: "e".repeat(40) };
    await expect(engine.memories(SHOP, unknown)).rejects.toMatchObject({ code: "behind" });
    await expect(engine.memoriesEtag(SHOP, unknown)).rejects.toMatchObject({ code: "behind" });
    await engine.memoriesEtag(SHOP, { ...NONE, revision });
    expect(engine.recallEtag(SHOP, { ...NONE, revision })).not.toBeNull();
    expect(engine.recallEtag(SHOP, unknown)).toBeNull();
    await merge(engine, { "c.md": A });
    expect(engine.recallEtag(SHOP, { ...NONE, revision })).toBeNull();
  });

  it("that a rewritten base no longer has is answered from the base as it is", async () => {
    const { remote, engine } = await openAll();
    await merge(engine, { "a.md": A });
    const { revision } = await engine.head(SHOP);
    const parent = (await remote.port.readCommit(revision)).parents[0] ?? "";
    await remote.port.publish([{ ref: "refs/heads/main", expectedOld: revision, new: parent }]);
    await engine.refresh();
    expect((await engine.memories(SHOP, { ...NONE, revision })).body.upserts).toEqual([]);
    await merge(engine, { "b.md": B });
    expect((await engine.head(SHOP)).memories).toBe(1);
    const elsewhere = await openEngine(remote);
    expect((await elsewhere.memories(SHOP, { ...NONE, revision })).body.upserts).toHaveLength(1);
  });

  it("of a base that was rewritten while the service was down is answered by the one that knew it", async () => {
    const { remote, engine } = await openAll();
    await merge(engine, { "a.md": A });
    const cacheFolder = join(await tempDir(), "cache");
    const knew = await openEngine(remote, { cacheFolder });
    const { revision } = await knew.head(SHOP);
    await Promise.all([engine.stop(), knew.stop()]);
    const parent = (await remote.port.readCommit(revision)).parents[0] ?? "";
    await remote.port.publish([{ ref: "refs/heads/main", expectedOld: revision, new: parent }]);
    const again = await openEngine(remote, { cacheFolder });
    expect((await again.memories(SHOP, { ...NONE, revision })).body).toMatchObject({ revision: parent, upserts: [] });
  });

  it.each([
    { name: "a proposal's, and will be the base by fast-forward", isProposal: true },
    { name: "one that nothing leads to any more", isProposal: false },
  ])("whose commit lies in an older backup as $name is 503 until the base has it", async ({ isProposal }) => {
    const { remote, engine } = await openAll();
    const id = ulid();
    await engine.putProposal(SHOP, id, toRequest({ "a.md": A }), RITA);
    const branch = `refs/heads/team-memory/${id}`;
    const revision = (await remote.port.readRef(branch)) ?? "";
    if (!isProposal) await remote.port.publish([{ ref: branch, expectedOld: revision, new: null }]);
    const restored = await openEngine(remote);
    await expect(restored.memories(SHOP, { ...NONE, revision })).rejects.toMatchObject({ code: "behind" });
    const base = (await remote.port.readRef("refs/heads/main")) ?? "";
    await remote.port.publish([{ ref: "refs/heads/main", expectedOld: base, new: revision }]);
    expect((await restored.memories(SHOP, { ...NONE, revision })).body.upserts).toHaveLength(1);
  });
});

describe("a project that cannot be read", () => {
  it("stays at its last good tree while the others move on, and follows when it can", async () => {
    const remote = await openRemote();
    let isDamaged = false;
    const readBlobs: GitPort["readBlobs"] = async (ids, sizeBytesMax) => {
      if (isDamaged && ids.includes(blobIdOf(B))) throw new TeamMemoryError("repository_damaged", "Could not read it");
      return remote.port.readBlobs(ids, sizeBytesMax);
    };
    const engine = await openEngine({ ...remote, port: { ...remote.port, readBlobs } });
    await merge(engine, { "a.md": A });
    const { tree } = await engine.head(SHOP);
    isDamaged = true;
    const clone = await cloneRemote(remote);
    await clone.commit({ "b.md": B, "../../other/team/o.md": A2 });
    await clone.push();
    await engine.refresh();
    expect((await engine.head(SHOP)).tree).toBe(tree);
    expect((await engine.head(OTHER)).memories).toBe(1);
    isDamaged = false;
    await engine.refresh();
    expect((await engine.head(SHOP)).memories).toBe(2);
  });
});

describe("unchanged polls", () => {
  it("read nothing from git between two looks", async () => {
    const { port, ...remote } = await openRemote();
    const calls: string[] = [];
    const counted = Object.fromEntries(
      Object.entries(port).map(([verb, call]) => [
        verb,
        typeof call !== "function"
          ? call
          : (...args: unknown[]) => {
              calls.push(verb);
              return (call as (...args: unknown[]) => unknown)(...args);
            },
      ]),
    ) as unknown as GitPort;
    const engine = await openEngine({ ...remote, port: counted });
    const { id } = await merge(engine, { "a.md": A });
    const { tree, revision } = await engine.head(SHOP);
    await engine.memories(SHOP, { since: tree, proposals: [id] });
    await engine.stop();
    calls.length = 0;
    for (let round = 0; round < 50; round += 1) {
      await engine.head(SHOP);
      await engine.memoriesEtag(SHOP, { since: tree, revision, proposals: [id] });
      await engine.memories(SHOP, { since: tree, revision, proposals: [id] });
    }
    expect(calls).toEqual([]);
  });
});

describe("waitForChange", () => {
  const never = new AbortController().signal;

  it("ends at a merge into this project, not at one into another", async () => {
    const { engine } = await openAll();
    const { tree } = await engine.head(SHOP);
    let isOver = false;
    const waiting = engine.waitForChange(SHOP, tree, 20_000, never).then(() => {
      isOver = true;
    });
    await merge(engine, { "x.md": A }, OTHER);
    expect(isOver).toBe(false);
    await merge(engine, { "a.md": A });
    await waiting;
    expect((await engine.head(SHOP)).tree).not.toBe(tree);
  });

  it("ends at once where the tree is another one already, after the time, and at the signal", async () => {
    const { engine } = await openAll();
    const { tree } = await engine.head(SHOP);
    await engine.waitForChange(SHOP, "e".repeat(40), 20_000, never);
    await engine.waitForChange(SHOP, tree, 30, never);
    const leaving = new AbortController();
    const waiting = engine.waitForChange(SHOP, tree, 20_000, leaving.signal);
    leaving.abort();
    await waiting;
    await engine.waitForChange(SHOP, tree, 20_000, leaving.signal);
  });

  it("notices what another process wrote, by the timer", async () => {
    const { remote, engine } = await openAll();
    const { tree } = await engine.head(SHOP);
    const waiting = engine.waitForChange(SHOP, tree, 20_000, never);
    const clone = await cloneRemote(remote);
    await clone.commit({ "a.md": A });
    await clone.push();
    await waiting;
    expect((await engine.head(SHOP)).memories).toBe(1);
  });
});
