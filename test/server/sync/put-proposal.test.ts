import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { toProposalRef } from "../../../server/sync/proposal/refs.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { openMemoryGit } from "../../contract/memory-git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { ANA, BEN, cloneRemote, merge, OTHER, openAll, openEngine, RITA, SHOP, textsOf, toRequest } from "./support.ts";

const A = memoryText("A");
const A2 = memoryText("A", "Second.");
const B = memoryText("B");

async function openProposal(texts: Record<string, string | null> = { "a.md": A }) {
  const { remote, engine } = await openAll();
  const id = ulid();
  const { proposal } = await engine.putProposal(SHOP, id, toRequest(texts), ANA);
  return { remote, engine, id, proposal };
}

describe("putProposal", () => {
  it("changes nothing when the same set is sent again, in any order", async () => {
    const { engine, id, proposal } = await openProposal({ "a.md": A, "b.md": B });
    const again = await engine.putProposal(SHOP, id, toRequest({ "b.md": B, "a.md": A }), ANA);
    expect(again).toEqual({ created: false, proposal });
  });

  it.each([
    { name: "a lower seq", seq: 1, texts: { "a.md": A } },
    { name: "an equal seq with another set", seq: 2, texts: { "a.md": A2, "b.md": B } },
  ])("refuses $name with sequence_conflict", async ({ seq, texts }) => {
    const { engine, id } = await openProposal();
    await engine.putProposal(SHOP, id, toRequest({ "a.md": A2 }, { seq: 2 }), ANA);
    const put = engine.putProposal(SHOP, id, toRequest(texts, { seq }), ANA);
    await expect(put).rejects.toMatchObject({ code: "sequence_conflict", details: { seq: 2 } });
  });

  it("takes the whole wanted set: what is no longer in it leaves the branch", async () => {
    const { engine, id } = await openProposal({ "a.md": A, "b.md": B });
    const { proposal } = await engine.putProposal(SHOP, id, toRequest({ "a.md": A2 }, { seq: 2 }), ANA);
    expect(proposal.changes).toMatchObject([{ key: "a.md", blob: blobIdOf(A2) }]);
    await engine.approve(SHOP, id, {}, RITA);
    expect((await engine.head(SHOP)).memories).toBe(1);
  });

  it("appends to the branch while the base leaves its keys alone", async () => {
    const { remote, engine, id, proposal } = await openProposal();
    await merge(engine, { "b.md": B });
    const next = await engine.putProposal(SHOP, id, toRequest({ "a.md": A2 }, { seq: 2 }), ANA);
    const commit = await remote.port.readCommit(next.proposal.head ?? "");
    expect(commit.parents).toEqual([proposal.head]);
  });

  it("withdraws by an empty set, and tells so afterwards", async () => {
    const { remote, engine, id } = await openProposal();
    const { proposal } = await engine.putProposal(SHOP, id, toRequest({}, { seq: 2 }), ANA);
    expect(proposal).toMatchObject({ state: "withdrawn", head: null });
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
    const late = await engine.putProposal(SHOP, id, toRequest({ "a.md": A2 }, { seq: 3 }), ANA);
    expect(late).toMatchObject({ created: false, proposal: { state: "withdrawn" } });
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
  });

  it.each(["merged", "closed"] as const)("answers with the outcome when the proposal is %s", async (state) => {
    const { engine, id } = await openProposal();
    if (state === "merged") await engine.approve(SHOP, id, {}, RITA);
    else await engine.close(SHOP, id, { reason: "We decided otherwise" }, RITA);
    const before = await engine.head(SHOP);
    const late = await engine.putProposal(SHOP, id, toRequest({ "a.md": A2 }, { seq: 9 }), ANA);
    expect(late).toMatchObject({ created: false, proposal: { id, state } });
    expect(await engine.head(SHOP)).toEqual(before);
  });

  it("refuses an id of another person and of another project", async () => {
    const { engine, id } = await openProposal();
    const ofBen = engine.putProposal(SHOP, id, toRequest({ "a.md": A2 }, { seq: 2 }), BEN);
    await expect(ofBen).rejects.toMatchObject({ code: "forbidden" });
    const elsewhere = engine.putProposal(OTHER, id, toRequest({ "a.md": A2 }, { seq: 2 }), ANA);
    await expect(elsewhere).rejects.toMatchObject({ code: "conflict" });
    await expect(engine.proposal(OTHER, id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("lists every failing key with its code, and makes no branch", async () => {
    const { remote, engine } = await openAll();
    await merge(engine, { "Foo.md": A });
    const id = ulid();
    const texts = {
      "../x.md": A,
      "MEMORY.md": A,
      "me.md": memoryText("Me", "Likes tea.", "user"),
      "bad.md": "no frontmatter\n",
      "foo.md": B,
      "good.md": B,
    };
    const put = engine.putProposal(SHOP, id, toRequest(texts), ANA);
    const { details } = await put.catch((error) => error);
    await expect(put).rejects.toMatchObject({ code: "unprocessable_proposal" });
    expect(details.keys.map(({ key, code }: { key: string; code: string }) => [key, code])).toEqual([
      ["../x.md", "path_traversal"],
      ["MEMORY.md", "path_traversal"],
      ["me.md", "private_memory"],
      ["bad.md", "invalid_memory"],
      ["foo.md", "key_collision"],
    ]);
    expect(JSON.stringify(details)).not.toContain("Likes tea");
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
  });

  it("lets a rename that changes only the case of a letter pass", async () => {
    const { engine } = await openAll();
    await merge(engine, { "Foo.md": A });
    await merge(engine, { "Foo.md": null, "foo.md": A });
    expect((await engine.memories(SHOP, { proposals: [] })).body.upserts.map(({ key }) => key)).toEqual(["foo.md"]);
  });

  it("refuses one key twice in a set", async () => {
    const { engine } = await openAll();
    const changes = [A, A2].map((text) => ({ key: "a.md", baseBlob: null, text }));
    const put = engine.putProposal(SHOP, ulid(), { seq: 1, changes }, ANA);
    await expect(put).rejects.toMatchObject({ details: { keys: [{ key: "a.md", rule: "R-TWICE" }] } });
  });

  it("refuses texts that together are over the bound", async () => {
    const { engine } = await openAll();
    const text = "x".repeat(LIMITS.proposalSizeBytesMax / 2);
    const put = engine.putProposal(SHOP, ulid(), toRequest({ "a.md": text, "b.md": text, "c.md": A }), ANA);
    await expect(put).rejects.toMatchObject({ code: "too_large" });
  });

  it("answers conflict with the ids where the base changed a key meanwhile, and drops what the base has already", async () => {
    const { engine } = await openAll();
    await merge(engine, { "a.md": A, "same.md": B });
    await merge(engine, { "a.md": A2 });
    const bases = { "a.md": blobIdOf(A) };
    const mine = memoryText("A", "Mine.");
    const conflict = engine.putProposal(SHOP, ulid(), toRequest({ "a.md": mine, "new.md": B }, { bases }), ANA);
    const ids = { key: "a.md", baseBlob: blobIdOf(A), current: blobIdOf(A2), wanted: blobIdOf(mine) };
    await expect(conflict).rejects.toMatchObject({ code: "conflict", details: { keys: [ids] } });
    const { proposal } = await engine.putProposal(SHOP, ulid(), toRequest({ "same.md": B, "new.md": B }), ANA);
    expect(proposal.changes.map(({ key }) => key)).toEqual(["new.md"]);
  });

  it("is merged at once when the base has everything already", async () => {
    const { engine } = await openAll();
    await merge(engine, { "a.md": A });
    const put = await engine.putProposal(SHOP, ulid(), toRequest({ "a.md": A }), BEN);
    expect(put).toMatchObject({ created: false, proposal: { state: "merged", head: null } });
  });

  it("keeps a change that is in conflict by now, sent again beside a new one", async () => {
    const { engine, id } = await openProposal({ "a.md": A });
    await merge(engine, { "a.md": A2 });
    const { proposal } = await engine.putProposal(SHOP, id, toRequest({ "a.md": A, "b.md": B }, { seq: 2 }), ANA);
    expect(proposal.conflicts).toEqual(["a.md"]);
    expect(proposal.changes.map(({ key }) => key)).toEqual(["a.md", "b.md"]);
    await expect(engine.approve(SHOP, id, {}, RITA)).rejects.toMatchObject({ code: "proposal_outdated" });
  });

  it("begins anew on the base once the person has taken the base's text in", async () => {
    const { remote, engine, id } = await openProposal({ "a.md": A });
    await merge(engine, { "a.md": A2 });
    const merged = memoryText("A", "Second, and mine.");
    const bases = { "a.md": blobIdOf(A2) };
    const { proposal } = await engine.putProposal(SHOP, id, toRequest({ "a.md": merged }, { seq: 2, bases }), ANA);
    expect(proposal).toMatchObject({ conflicts: [], changes: [{ kind: "changed", baseBlob: blobIdOf(A2) }] });
    const { revision } = await engine.head(SHOP);
    expect((await remote.port.readCommit(proposal.head ?? "")).parents).toEqual([revision]);
  });

  it("refuses a text that the team removed, unless it is restored on purpose", async () => {
    const { engine } = await openAll();
    await merge(engine, { "a.md": A });
    await merge(engine, { "a.md": null });
    const stale = engine.putProposal(SHOP, ulid(), toRequest({ "a.md": A }), BEN);
    await expect(stale).rejects.toMatchObject({ details: { keys: [{ key: "a.md", code: "stale_text" }] } });
    const other = await engine.putProposal(SHOP, ulid(), toRequest({ "a.md": A2 }), BEN);
    expect(other.created).toBe(true);
    const restored = await engine.putProposal(SHOP, ulid(), toRequest({ "a.md": A }, { restore: ["a.md"] }), BEN);
    expect(restored.created).toBe(true);
  });

  it("bounds the open proposals of a project, also of those that come at once", async () => {
    const git = await openMemoryGit();
    const engine = await openEngine({ folder: "", gitDir: "", port: git });
    const put = (at: number) => engine.putProposal(SHOP, ulid(), toRequest({ [`k${at}.md`]: A }), ANA);
    const puts = Array.from({ length: LIMITS.openProposalsPerProjectMax + 20 }, (_, at) => put(at));
    const settled = await Promise.allSettled(puts);
    const refused = settled.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(20);
    expect(refused).toMatchObject(refused.map(() => ({ reason: { code: "too_many_proposals" } })));
    expect((await git.readRefs("refs/heads/team-memory/")).size).toBe(LIMITS.openProposalsPerProjectMax);
  }, 60_000);

  it("keeps line breaks of a title out of the commit's trailers", async () => {
    const { engine } = await openAll();
    const title = `Fine\n\nTeam-Memory-Proposal: ${ulid()}\nTeam-Memory-Person: ben`;
    const { proposal } = await engine.putProposal(SHOP, ulid(), toRequest({ "a.md": A }, { title }), ANA);
    expect(proposal).toMatchObject({ by: ANA.name, state: "open" });
    expect(proposal.title).toMatch(/^Fine Team-Memory-Proposal/);
  });

  it("refuses an id whose branch a person made for something else", async () => {
    const { remote, engine } = await openAll();
    const id = ulid();
    const clone = await cloneRemote(remote);
    await clone.push(`HEAD:${toProposalRef(id)}`);
    await engine.refresh();
    const put = engine.putProposal(SHOP, id, toRequest({ "a.md": A }), ANA);
    await expect(put).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("a person has committed to the branch", () => {
  const human = memoryText("A", "Fixed by Rita.");

  async function withHumanCommit(texts: Record<string, string> = { "a.md": A, "b.md": B }) {
    const opened = await openProposal(texts);
    const clone = await cloneRemote(opened.remote);
    await clone.git("checkout", "-q", "-b", "fix", `origin/${opened.proposal.branch}`);
    await clone.commit({ "a.md": human }, "Fix a.md");
    await clone.push(`fix:${toProposalRef(opened.id)}`);
    await opened.engine.refresh();
    return { ...opened, humanHead: await clone.git("rev-parse", "HEAD") };
  }

  it("keeps the commit and the text while the agent changes another key, again and again", async () => {
    const { remote, engine, id, humanHead } = await withHumanCommit();
    for (const seq of [2, 3]) {
      const texts = { "a.md": A, "b.md": memoryText("B", `Set ${seq}.`) };
      const { proposal } = await engine.putProposal(SHOP, id, toRequest(texts, { seq }), ANA);
      expect(proposal.changes).toMatchObject([
        { key: "a.md", blob: blobIdOf(human) },
        { key: "b.md", blob: blobIdOf(texts["b.md"]) },
      ]);
      if (seq === 2) expect((await remote.port.readCommit(proposal.head ?? "")).parents).toEqual([humanHead]);
    }
    await engine.approve(SHOP, id, {}, RITA);
    expect(await textsOf(engine)).toEqual({ "a.md": human, "b.md": memoryText("B", "Set 3.") });
  });

  it("answers conflict where both changed one key, and overwrites nothing", async () => {
    const { remote, engine, id, humanHead } = await withHumanCommit();
    const put = engine.putProposal(SHOP, id, toRequest({ "a.md": A2, "b.md": B }, { seq: 2 }), ANA);
    await expect(put).rejects.toMatchObject({
      code: "conflict",
      details: { keys: [{ key: "a.md", current: blobIdOf(human), wanted: blobIdOf(A2) }] },
    });
    expect(await remote.port.readRef(toProposalRef(id))).toBe(humanHead);
  });

  it("keeps the person's text when the agent withdraws everything", async () => {
    const { engine, id } = await withHumanCommit();
    const { proposal } = await engine.putProposal(SHOP, id, toRequest({}, { seq: 2 }), ANA);
    expect(proposal).toMatchObject({ state: "open", changes: [{ key: "a.md", blob: blobIdOf(human) }] });
  });

  it("never deletes a branch with a person's commits, even where nothing is left of them to merge", async () => {
    const { remote, engine, id, proposal } = await openProposal();
    const clone = await cloneRemote(remote);
    await clone.git("checkout", "-q", "-b", "fix", `origin/${proposal.branch}`);
    await clone.commit({ "../../../../../notes.txt": "Remember me\n" });
    await clone.push(`fix:${toProposalRef(id)}`);
    await engine.refresh();
    const { proposal: withdrawn } = await engine.putProposal(SHOP, id, toRequest({}, { seq: 2 }), ANA);
    expect(withdrawn).toMatchObject({ state: "open", changes: [] });
    await engine.refresh();
    expect(await clone.git("ls-remote", "origin", toProposalRef(id))).not.toBe("");
  });

  it("never begins anew on the base", async () => {
    const { remote, engine, id, humanHead } = await withHumanCommit({ "a.md": A });
    await merge(engine, { "b.md": B });
    const bases = { "b.md": blobIdOf(B) };
    const put = engine.putProposal(SHOP, id, toRequest({ "a.md": A, "b.md": A2 }, { seq: 2, bases }), ANA);
    await expect(put).rejects.toMatchObject({ code: "conflict", details: { keys: [{ key: "b.md" }] } });
    expect(await remote.port.readRef(toProposalRef(id))).toBe(humanHead);
  });

  it("notices an amended commit of the service as a person's", async () => {
    const { remote, engine, id, proposal } = await openProposal();
    const clone = await cloneRemote(remote);
    await clone.git("checkout", "-q", "-b", "fix", `origin/${proposal.branch}`);
    await clone.commit({ "a.md": human });
    await clone.git("reset", "-q", "--soft", "HEAD~2");
    await clone.git("commit", "-q", "-C", `origin/${proposal.branch}`);
    await clone.git("push", "-q", "origin", `:${toProposalRef(id)}`, `fix:refs/heads/keep`);
    await clone.push(`fix:${toProposalRef(id)}`);
    await engine.refresh();
    const put = engine.putProposal(SHOP, id, toRequest({ "a.md": A2 }, { seq: 2 }), ANA);
    await expect(put).rejects.toMatchObject({ code: "conflict" });
    expect((await engine.proposal(SHOP, id)).diff).toMatchObject([{ key: "a.md", after: human }]);
  });
});
