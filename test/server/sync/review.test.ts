import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { BASE_REF, toProposalRef } from "../../../server/sync/proposal/refs.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { memoryText } from "../../support/memory-text.ts";
import { ANA, cloneRemote, merge, OTHER, openAll, openEngine, RITA, SHOP, textsOf, toRequest } from "./support.ts";

const A = memoryText("A");
const B = memoryText("B");
const C = memoryText("C");

async function openProposal(texts: Record<string, string | null> = { "a.md": A, "b.md": B }) {
  const { remote, engine } = await openAll();
  const id = ulid();
  const { proposal } = await engine.putProposal(SHOP, id, toRequest(texts), ANA);
  return { remote, engine, id, proposal };
}

describe("approve", () => {
  it("commits as the proposing person, names proposal and reviewer, and deletes the branch", async () => {
    const { remote, engine, id, proposal } = await openProposal();
    await engine.approve(SHOP, id, {}, RITA);
    const base = await remote.port.readCommit((await remote.port.readRef(BASE_REF)) ?? "");
    expect(base.author).toMatchObject({ name: ANA.name, email: ANA.email });
    expect(base.committer.name).toBe("team-memory");
    expect(base.parents).toHaveLength(1);
    expect(base.message).toContain(`Team-Memory-Proposal: ${id}\n`);
    expect(base.message).toContain(`Team-Memory-Reviewer: ${RITA.name} <${RITA.email}>\n`);
    expect(base.message).toContain(`Team-Memory-Head: ${proposal.head}\n`);
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
  });

  it("twice changes nothing the second time, also in another process", async () => {
    const { remote, engine, id } = await openProposal();
    const first = await engine.approve(SHOP, id, {}, RITA);
    const head = await engine.head(SHOP);
    expect(await engine.approve(SHOP, id, {}, RITA)).toEqual(first);
    const other = await openEngine(remote);
    expect(await other.approve(SHOP, id, { keys: ["a.md"] }, RITA)).toEqual(first);
    expect(await other.head(SHOP)).toEqual(head);
  });

  it("refuses a head that is not the reviewed one", async () => {
    const { engine, id, proposal } = await openProposal();
    const { proposal: next } = await engine.putProposal(SHOP, id, toRequest({ "a.md": C }, { seq: 2 }), ANA);
    const approval = engine.approve(SHOP, id, { head: proposal.head ?? "" }, RITA);
    await expect(approval).rejects.toMatchObject({ code: "proposal_changed", details: { head: next.head } });
  });

  it("merges onto a base that changed elsewhere, and calls it outdated where it changed the same key", async () => {
    const { engine, id } = await openProposal();
    await merge(engine, { "c.md": C });
    await engine.approve(SHOP, id, {}, RITA);
    expect(Object.keys(await textsOf(engine))).toEqual(["c.md", "a.md", "b.md"]);

    const late = ulid();
    const bases = { "a.md": blobIdOf(A) };
    await engine.putProposal(SHOP, late, toRequest({ "a.md": memoryText("A", "Late.") }, { bases }), ANA);
    await merge(engine, { "a.md": memoryText("A", "First.") });
    const approval = engine.approve(SHOP, late, {}, RITA);
    await expect(approval).rejects.toMatchObject({ code: "proposal_outdated", details: { keys: [{ key: "a.md" }] } });
    expect((await engine.proposal(SHOP, late)).conflicts).toEqual(["a.md"]);
  });

  it("merges what the base has changed elsewhere in the same memory, also with the reviewed head pinned", async () => {
    const lines = (first: string, last: string) => memoryText("L", `${first}\n\nTwo.\n\nThree.\n\nFour.\n\n${last}`);
    const { engine } = await openAll();
    await merge(engine, { "l.md": lines("One.", "Five.") });
    const late = ulid();
    const bases = { "l.md": blobIdOf(lines("One.", "Five.")) };
    const request = toRequest({ "l.md": lines("One, proposed.", "Five.") }, { bases });
    const { proposal } = await engine.putProposal(SHOP, late, request, ANA);
    await merge(engine, { "l.md": lines("One.", "Five, of the team.") });
    const approved = await engine.approve(SHOP, late, { head: proposal.head ?? "" }, RITA);
    expect(approved).toMatchObject({ state: "merged", changes: [{ key: "l.md", state: "merged" }] });
    expect((await textsOf(engine))["l.md"]).toBe(lines("One, proposed.", "Five, of the team."));
    expect(await engine.listProposals(SHOP)).toEqual([]);
  });

  it("of a named key that it merges with the base's change is done with it: what is reviewed later stays", async () => {
    const { remote, engine } = await openAll();
    const text = (first: string, last: string) => memoryText("L", `${first}\n2\n3\n4\n5\n6\n7\n${last}`);
    await merge(engine, { "a.md": text("1", "8"), "b.md": text("1", "8") });
    const blob = blobIdOf(text("1", "8"));
    const id = ulid();
    const bases = { "a.md": blob, "b.md": blob };
    const texts = { "a.md": text("one", "8"), "b.md": text("one", "8") };
    const { proposal } = await engine.putProposal(SHOP, id, toRequest(texts, { bases }), ANA);
    await merge(engine, { "a.md": text("1", "eight") });
    const clone = await cloneRemote(remote);
    await clone.git("checkout", "-q", "-b", "fix", `origin/${proposal.branch}`);
    await clone.commit({ "b.md": text("uno", "8") });
    await clone.push(`fix:${toProposalRef(id)}`);
    await engine.refresh();
    const stateOf = async (of: typeof engine) => (await of.proposal(SHOP, id)).changes.map(({ state }) => state);
    await engine.approve(SHOP, id, { keys: ["a.md"] }, RITA);
    expect((await textsOf(engine))["a.md"]).toBe(text("one", "eight"));
    expect(await stateOf(engine)).toEqual(["merged", "proposed"]);
    await merge(engine, { "a.md": text("1", "eight") });
    await clone.commit({ "b.md": text("due", "8") });
    await clone.push(`fix:${toProposalRef(id)}`);
    await engine.refresh();
    for (const each of [engine, await openEngine(remote)]) expect(await stateOf(each)).toEqual(["merged", "proposed"]);
    expect((await engine.approve(SHOP, id, {}, RITA)).state).toBe("merged");
    expect(await textsOf(engine)).toMatchObject({ "a.md": text("1", "eight"), "b.md": text("due", "8") });
  });

  it("of named keys merges those, and leaves the others proposed on the new base", async () => {
    const { remote, engine, id } = await openProposal();
    const part = await engine.approve(SHOP, id, { keys: ["a.md"] }, RITA);
    expect(part.state).toBe("open");
    expect(part.changes).toMatchObject([
      { key: "b.md", state: "proposed" },
      { key: "a.md", state: "merged" },
    ]);
    const { revision } = await engine.head(SHOP);
    expect((await remote.port.readCommit(part.head ?? "")).parents).toEqual([revision]);
    expect(await textsOf(engine)).toEqual({ "a.md": A });

    const again = await engine.putProposal(SHOP, id, toRequest({ "a.md": A, "b.md": B }), ANA);
    expect(again.proposal.head).toBe(part.head);
    expect(await engine.approve(SHOP, id, { keys: ["a.md"] }, RITA)).toMatchObject({ state: "open" });
    const whole = await engine.approve(SHOP, id, { keys: ["b.md"] }, RITA);
    expect(whole.state).toBe("merged");
    expect(whole.changes.map(({ key }) => key)).toEqual(["a.md", "b.md"]);
  });

  it("does not find a key that is not proposed, another project's proposal or an unknown one", async () => {
    const { engine, id } = await openProposal();
    await expect(engine.approve(SHOP, id, { keys: ["x.md"] }, RITA)).rejects.toMatchObject({ code: "bad_request" });
    await expect(engine.approve(OTHER, id, {}, RITA)).rejects.toMatchObject({ code: "not_found" });
    await expect(engine.approve(SHOP, ulid(), {}, RITA)).rejects.toMatchObject({ code: "not_found" });
  });

  it("checks again what a person committed to the branch, and merges nothing outside the project", async () => {
    const { remote, engine, id, proposal } = await openProposal();
    const clone = await cloneRemote(remote);
    await clone.git("checkout", "-q", "-b", "fix", `origin/${proposal.branch}`);
    await clone.commit({ "a.md": "no frontmatter\n", "../../../../other/team/x.md": C });
    await clone.push(`fix:${toProposalRef(id)}`);

    await expect(engine.approve(SHOP, id, {}, RITA)).rejects.toMatchObject({
      code: "unprocessable_proposal",
      details: { paths: ["projects/other/team/x.md"] },
    });
    await expect(engine.approve(SHOP, id, { keys: ["a.md"] }, RITA)).rejects.toMatchObject({
      details: { keys: [{ key: "a.md", code: "invalid_memory" }] },
    });
    const { checks } = await engine.proposal(SHOP, id);
    expect(checks.map(({ check }) => check)).toEqual(["invalid_memory", "pushed", "foreign"]);
    expect(await engine.approve(SHOP, id, { keys: ["b.md"] }, RITA)).toMatchObject({ state: "open" });
    expect(await textsOf(engine)).toEqual({ "b.md": B });
    expect(await remote.port.readRef(toProposalRef(id))).toBe(await clone.git("rev-parse", "HEAD"));
  });
});

describe("close", () => {
  it("keeps the reason and the rejected keys for whoever asks later", async () => {
    const { remote, engine, id } = await openProposal();
    const closed = await engine.close(SHOP, id, { reason: "Already in the README" }, RITA);
    expect(closed).toMatchObject({ state: "closed", reason: "Already in the README", head: null });
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
    const later = await openEngine(remote);
    const { outcomes } = await later.memories(SHOP, { proposals: [id] });
    expect(outcomes[id]).toMatchObject({
      state: "closed",
      seq: 1,
      reason: "Already in the README",
      rejected: ["a.md", "b.md"],
    });
    expect(await later.close(SHOP, id, { reason: "Again" }, RITA)).toMatchObject({ reason: "Already in the README" });
    await expect(later.approve(SHOP, id, {}, RITA)).rejects.toMatchObject({ code: "proposal_finished" });
  });

  it("of named keys takes them off the branch; the same text does not come back, another one may", async () => {
    const { engine, id } = await openProposal();
    const part = await engine.close(SHOP, id, { keys: ["a.md"], reason: "Only b" }, RITA);
    expect(part).toMatchObject({ state: "open", reason: "Only b" });
    expect(part.changes).toMatchObject([
      { key: "b.md", state: "proposed" },
      { key: "a.md", state: "rejected" },
    ]);
    const { outcomes } = await engine.memories(SHOP, { proposals: [id] });
    expect(outcomes[id]).toMatchObject({ state: "open", rejected: ["a.md"], reason: "Only b" });

    const texts = { "a.md": A, "b.md": C };
    const again = await engine.putProposal(SHOP, id, toRequest(texts, { seq: 2 }), ANA);
    expect(again.proposal.changes).toMatchObject([{ key: "b.md", blob: blobIdOf(C) }, { state: "rejected" }]);
    const other = await engine.putProposal(SHOP, id, toRequest({ ...texts, "a.md": C }, { seq: 3 }), ANA);
    expect(other.proposal.changes.map(({ state }) => state)).toEqual(["proposed", "proposed"]);
  });

  it("of every key closes the whole", async () => {
    const { engine, id } = await openProposal();
    await engine.close(SHOP, id, { keys: ["a.md"], reason: "No" }, RITA);
    const closed = await engine.close(SHOP, id, { keys: ["b.md"], reason: "No, too" }, RITA);
    expect(closed.state).toBe("closed");
    expect(closed.changes.map(({ key, state }) => [key, state])).toEqual([
      ["a.md", "rejected"],
      ["b.md", "rejected"],
    ]);
  });

  it("is refused for a merged proposal", async () => {
    const { engine, id } = await openProposal();
    await engine.approve(SHOP, id, {}, RITA);
    const closing = engine.close(SHOP, id, { reason: "Too late" }, RITA);
    await expect(closing).rejects.toMatchObject({ code: "proposal_finished" });
  });
});
