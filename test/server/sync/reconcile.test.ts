import { join } from "node:path";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { toProposalRef } from "../../../server/sync/proposal/refs.ts";
import { assertSound } from "../../support/git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import {
  ANA,
  cloneRemote,
  merge,
  openAll,
  openEngine,
  RITA,
  SHOP,
  SHOP_FOLDER,
  textsOf,
  toRequest,
} from "./support.ts";

const A = memoryText("A");
const B = memoryText("B");

/** A proposal of two memories, and a reviewer's clone that has its branch. */
async function openReview() {
  const { remote, engine } = await openAll();
  await merge(engine, { "old.md": memoryText("Old") });
  const id = ulid();
  const { proposal } = await engine.putProposal(SHOP, id, toRequest({ "a.md": A, "b.md": B }), ANA);
  const clone = await cloneRemote(remote);
  const outcomeOf = async (of = engine) => (await of.memories(SHOP, { proposals: [id] })).outcomes[id];
  return { remote, engine, id, proposal, clone, branch: `origin/${proposal.branch}`, outcomeOf };
}

describe("a reviewer merges with plain git", () => {
  it("by fast-forward: noticed, attributed to its author, the branch deleted", async () => {
    const { remote, engine, id, clone, branch, outcomeOf } = await openReview();
    await clone.git("merge", "-q", "--ff-only", branch);
    await clone.push();
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "merged", seq: 1, rejected: [] });
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
    const { body } = await engine.memories(SHOP, { proposals: [] });
    expect(body.upserts.find(({ key }) => key === "a.md")).toMatchObject({ changedBy: ANA.name });
    expect((await engine.history(SHOP, "a.md" as never)).changes).toMatchObject([{ proposal: id }]);
  });

  it("with --no-ff, onto a base that has moved: noticed, attributed to its author", async () => {
    const { engine, id, clone, branch, outcomeOf } = await openReview();
    await merge(engine, { "c.md": memoryText("C") });
    await clone.update();
    await clone.git("merge", "-q", "--no-ff", "-m", "Merge it", branch);
    await clone.push();
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "merged", rejected: [] });
    expect((await engine.proposal(SHOP, id)).changes).toMatchObject([
      { key: "a.md", state: "merged" },
      { key: "b.md" },
    ]);
    expect((await engine.history(SHOP, "a.md" as never)).changes).toMatchObject([
      { changedBy: ANA.name, proposal: id },
    ]);
  });

  it("with --squash and words of their own: noticed by what stands on the base", async () => {
    const { remote, engine, id, clone, branch, outcomeOf } = await openReview();
    await clone.git("merge", "-q", "--squash", branch);
    await clone.git("commit", "-q", "-m", "Two memories");
    await clone.push();
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "merged", rejected: [] });
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
    expect(await outcomeOf(await openEngine(remote))).toMatchObject({ state: "merged" });
  });

  it("with --squash, and changes one of the keys again before anyone looks", async () => {
    const { engine, clone, branch, outcomeOf } = await openReview();
    await clone.git("merge", "-q", "--squash", branch);
    await clone.git("commit", "-q", "-m", "Two memories");
    await clone.commit({ "a.md": memoryText("A", "Later.") });
    await clone.push();
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "merged", rejected: [] });
  });

  it("with --squash and the proposal's own message, leaving out a key: that one is rejected", async () => {
    const { engine, clone, branch, outcomeOf } = await openReview();
    await clone.git("merge", "-q", "--squash", branch);
    await clone.git("rm", "-q", "-f", `${SHOP_FOLDER}/b.md`);
    await clone.git("commit", "-q", "-C", branch);
    await clone.push();
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "merged", rejected: ["b.md"] });
  });

  it("with --no-ff, leaving out one key and editing the other", async () => {
    const { engine, id, clone, branch, outcomeOf } = await openReview();
    await clone.git("merge", "-q", "--no-ff", "--no-commit", branch);
    await clone.git("rm", "-q", "-f", `${SHOP_FOLDER}/b.md`);
    const edited = memoryText("A", "Edited in the merge.");
    await clone.commit({ "a.md": edited }, "Merge, edited");
    await clone.push();
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "merged", rejected: ["b.md"] });
    expect((await textsOf(engine))["a.md"]).toBe(edited);
    expect((await engine.history(SHOP, "a.md" as never)).changes).toMatchObject([{ changedBy: RITA.name }]);
    expect((await engine.proposal(SHOP, id)).changes).toMatchObject([
      { key: "a.md", state: "merged" },
      { key: "b.md", state: "rejected" },
    ]);
  });

  it("through a branch of their own in between", async () => {
    const { engine, clone, branch, outcomeOf } = await openReview();
    await clone.git("checkout", "-q", "-b", "review");
    await clone.git("merge", "-q", "--no-ff", "-m", "Take it", branch);
    await clone.git("checkout", "-q", "main");
    await clone.git("merge", "-q", "--no-ff", "-m", "Review done", "review");
    await clone.push();
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "merged" });
    expect((await engine.history(SHOP, "a.md" as never)).changes).toMatchObject([{ changedBy: ANA.name }]);
  });

  it("after a commit of their own on the branch, whose text is theirs", async () => {
    const { engine, id, clone, branch, outcomeOf } = await openReview();
    await clone.git("checkout", "-q", "-b", "fix", branch);
    await clone.commit({ "a.md": memoryText("A", "Fixed.") });
    await clone.git("checkout", "-q", "main");
    await clone.git("merge", "-q", "--no-ff", "-m", "Merge the fix", "fix");
    await clone.push("HEAD:main", `fix:${toProposalRef(id)}`);
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "merged", rejected: [] });
    expect((await engine.history(SHOP, "a.md" as never)).changes).toMatchObject([
      { changedBy: RITA.name, proposal: id },
    ]);
    expect((await engine.history(SHOP, "b.md" as never)).changes).toMatchObject([
      { changedBy: ANA.name, proposal: id },
    ]);
  });

  it("an older state of the branch: the rest stays proposed", async () => {
    const { engine, id, clone, branch, outcomeOf } = await openReview();
    const later = memoryText("A", "Later.");
    await engine.putProposal(SHOP, id, toRequest({ "a.md": later, "b.md": B }, { seq: 2 }), ANA);
    await clone.git("merge", "-q", "--no-ff", "-m", "Merge what I saw", branch);
    await clone.push();
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "open", seq: 2 });
    const { changes, conflicts } = await engine.proposal(SHOP, id);
    expect(changes).toMatchObject([
      { key: "a.md", kind: "changed", state: "proposed" },
      { key: "b.md", state: "merged" },
    ]);
    expect(conflicts).toEqual([]);
    await engine.approve(SHOP, id, {}, RITA);
    expect((await textsOf(engine))["a.md"]).toBe(later);
  });

  it("with the words of an approval of some keys: the others stay proposed", async () => {
    const { engine, id, clone, outcomeOf } = await openReview();
    await engine.approve(SHOP, id, { keys: ["a.md"] }, RITA);
    await clone.update();
    const words = await clone.git("log", "-1", "--format=%B");
    await clone.commit({ "a.md": memoryText("A", "Corrected.") }, words);
    await clone.push();
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "open" });
    expect((await engine.listProposals(SHOP)).map((proposal) => proposal.id)).toEqual([id]);
  });

  it("only some keys by hand: the others stay proposed", async () => {
    const { engine, id, clone, outcomeOf } = await openReview();
    await clone.commit({ "a.md": A });
    await clone.push();
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "open" });
    expect((await engine.proposal(SHOP, id)).changes.map(({ key, state }) => [key, state])).toEqual([
      ["a.md", "merged"],
      ["b.md", "proposed"],
    ]);
  });
});

describe("a reviewer deletes the branch", () => {
  it("closes the proposal; what the base took before is not rejected", async () => {
    const { remote, engine, id, clone, outcomeOf } = await openReview();
    await clone.commit({ "a.md": A });
    await clone.push("HEAD:main", `:${toProposalRef(id)}`);
    await engine.refresh();
    const closed = { state: "closed", seq: 1, reason: null, rejected: ["b.md"] };
    expect(await outcomeOf()).toMatchObject(closed);
    expect(await outcomeOf(await openEngine(remote))).toMatchObject(closed);
    const late = await engine.putProposal(SHOP, id, toRequest({ "b.md": B }, { seq: 2 }), ANA);
    expect(late).toMatchObject({ created: false, proposal: { state: "closed" } });
  });

  it("together with a squash merge: merged, not closed", async () => {
    const { engine, id, clone, branch, outcomeOf } = await openReview();
    await clone.git("merge", "-q", "--squash", branch);
    await clone.git("commit", "-q", "-m", "Two memories");
    await clone.push("HEAD:main", `:${toProposalRef(id)}`);
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state: "merged", rejected: [] });
  });

  it("while the service is down: closed when it is back", async () => {
    const { remote, id, engine, clone, outcomeOf } = await openReview();
    const cacheFolder = join(await tempDir(), "cache");
    await (await openEngine(remote, { cacheFolder })).stop();
    await engine.stop();
    await clone.push(`:${toProposalRef(id)}`);
    const back = await openEngine(remote, { cacheFolder });
    expect(await outcomeOf(back)).toMatchObject({ state: "closed", rejected: ["a.md", "b.md"] });
  });
});

describe("what a kill leaves", () => {
  it("a branch whose proposal was recorded as closed is deleted at the next look", async () => {
    const { remote, engine, id, proposal, outcomeOf } = await openReview();
    const saved = await remote.port.readRef(toProposalRef(id));
    await engine.close(SHOP, id, { reason: "No" }, RITA);
    await remote.port.publish([{ ref: toProposalRef(id), expectedOld: null, new: saved }]);
    await engine.refresh();
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
    expect(await outcomeOf()).toMatchObject({ state: "closed", reason: "No" });
    expect(saved).toBe(proposal.head);
  });

  it("keys recorded as rejected are taken off the branch at the next look", async () => {
    const { remote, engine, id, proposal } = await openReview();
    await engine.close(SHOP, id, { keys: ["a.md"], reason: "No" }, RITA);
    const now = (await engine.proposal(SHOP, id)).head;
    await remote.port.publish([{ ref: toProposalRef(id), expectedOld: now, new: proposal.head }]);
    await engine.refresh();
    expect((await engine.proposal(SHOP, id)).changes).toMatchObject([
      { key: "b.md", state: "proposed" },
      { key: "a.md", state: "rejected" },
    ]);
  });

  it("a branch whose proposal is on the base is deleted at the next look", async () => {
    const { remote, engine, id, proposal } = await openReview();
    await engine.approve(SHOP, id, {}, RITA);
    await remote.port.publish([{ ref: toProposalRef(id), expectedOld: null, new: proposal.head }]);
    await engine.refresh();
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
  });
});

describe("an older state of a branch that somebody puts back", () => {
  it.each(["withdrawn", "closed", "merged"] as const)("does not open again what is %s", async (state) => {
    const { remote, engine, id, proposal, outcomeOf } = await openReview();
    await engine.putProposal(SHOP, id, toRequest({ "a.md": A }, { seq: 2 }), ANA);
    if (state === "withdrawn") await engine.putProposal(SHOP, id, toRequest({}, { seq: 3 }), ANA);
    else if (state === "closed") await engine.close(SHOP, id, { reason: "No" }, RITA);
    else await engine.approve(SHOP, id, {}, RITA);
    await remote.port.publish([{ ref: toProposalRef(id), expectedOld: null, new: proposal.head }]);
    await engine.refresh();
    expect(await outcomeOf()).toMatchObject({ state });
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
    expect(await engine.listProposals(SHOP)).toEqual([]);
  });

  it.each([
    ...(["withdrawn", "closed", "merged"] as const).map((state) => ({ state, name: "nothing", files: {} })),
    ...(["withdrawn", "closed", "merged"] as const).map((state) => {
      return { state, name: "another text", files: { "a.md": memoryText("A", "Better.") } };
    }),
  ])("with a commit of $name on top opens nothing again that is $state, and stays", async ({ state, files }) => {
    const { remote, engine, id, clone, branch, outcomeOf } = await openReview();
    if (state === "withdrawn") await engine.putProposal(SHOP, id, toRequest({}, { seq: 2 }), ANA);
    else if (state === "closed") await engine.close(SHOP, id, { reason: "No" }, RITA);
    else await engine.approve(SHOP, id, {}, RITA);
    const before = await outcomeOf();
    await clone.git("checkout", "-q", "-b", "again", branch);
    if (Object.keys(files).length > 0) await clone.commit(files);
    else await clone.git("commit", "-q", "--allow-empty", "-m", "Again");
    await clone.push(`again:${toProposalRef(id)}`);
    for (const each of [engine, await openEngine(remote)]) {
      for (let round = 0; round < 2; round += 1) await each.refresh();
      expect(await outcomeOf(each)).toEqual(before);
      expect(await each.listProposals(SHOP)).toEqual([]);
    }
    expect(before).toMatchObject({ state });
    expect(await remote.port.readRef(toProposalRef(id))).toBe(await clone.git("rev-parse", "HEAD"));
    const late = await engine.putProposal(SHOP, id, toRequest({ "a.md": A }, { seq: 3 }), ANA);
    expect(late).toMatchObject({ created: false, proposal: { state } });
  });
});

describe("looking again", () => {
  it("changes nothing when nothing has changed", async () => {
    const { remote, engine, id } = await openReview();
    await engine.close(SHOP, id, { keys: ["a.md"], reason: "No" }, RITA);
    const refs = await remote.port.readRefs("refs/");
    const before = await engine.memories(SHOP, { proposals: [id] });
    for (let round = 0; round < 3; round += 1) await engine.refresh();
    expect(await remote.port.readRefs("refs/")).toEqual(refs);
    const after = await engine.memories(SHOP, { proposals: [id] });
    expect(after.body).toBe(before.body);
    expect(after.etag).toBe(before.etag);
    await assertSound(remote.gitDir);
  });

  it("keeps the last good state while the base is gone", async () => {
    const { remote, engine } = await openReview();
    const base = await remote.port.readRef("refs/heads/main");
    await remote.port.publish([{ ref: "refs/heads/main", expectedOld: base, new: null }]);
    await expect(engine.refresh()).rejects.toMatchObject({ code: "unavailable" });
    expect((await engine.head(SHOP)).memories).toBe(1);
  });
});
