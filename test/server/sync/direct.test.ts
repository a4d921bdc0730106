import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { BASE_REF, toProposalRef } from "../../../server/sync/proposal/refs.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { memoryText } from "../../support/memory-text.ts";
import {
  ANA,
  BEN,
  COMMITTER,
  cloneRemote,
  merge,
  OTHER,
  openEngine,
  openRemote,
  RITA,
  SHOP,
  textsOf,
  toRequest,
} from "./support.ts";

const A = memoryText("A");
const A2 = memoryText("A", "Second.");
const B = memoryText("B");
const DIRECT = { reviewPolicy: (project: string) => (project === SHOP ? "direct" : "required") } as const;

async function openDirect(texts: Record<string, string> = {}) {
  const remote = await openRemote();
  const engine = await openEngine(remote, DIRECT);
  if (Object.keys(texts).length > 0) await engine.putProposal(SHOP, ulid(), toRequest(texts), BEN);
  return { remote, engine };
}

const basesOf = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, blobIdOf(text)]));

describe("a project that asks for no review", () => {
  it("has additions and edits at once: by the person, committed by the service, with trailers, without a branch", async () => {
    const { remote, engine } = await openDirect({ "a.md": A });
    const id = ulid();
    const request = toRequest({ "a.md": A2, "b.md": B }, { bases: basesOf({ "a.md": A }), seq: 3 });
    const { created, proposal } = await engine.putProposal(SHOP, id, request, ANA);
    expect({ created, state: proposal.state, head: proposal.head }).toEqual({
      created: false,
      state: "merged",
      head: null,
    });
    expect(proposal.changes.map(({ key, kind, state }) => [key, kind, state])).toEqual([
      ["a.md", "changed", "merged"],
      ["b.md", "added", "merged"],
    ]);
    expect(await textsOf(engine)).toEqual({ "a.md": A2, "b.md": B });
    const base = await remote.port.readCommit((await remote.port.readRef(BASE_REF)) ?? "");
    expect(base.author).toMatchObject({ name: ANA.name, email: ANA.email });
    expect(base.committer).toMatchObject(COMMITTER);
    expect(base.message).toContain(`Team-Memory-Proposal: ${id}\n`);
    expect(base.message).toContain("Team-Memory-Seq: 3\n");
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
  });

  it("is another one than the one beside it", async () => {
    const { engine } = await openDirect();
    const { proposal } = await engine.putProposal(OTHER, ulid(), toRequest({ "a.md": A }), ANA);
    expect(proposal.state).toBe("open");
    expect(await textsOf(engine, OTHER)).toEqual({});
  });

  it("takes the same set again for what it is, in this process and the next", async () => {
    const { remote, engine } = await openDirect();
    const id = ulid();
    const first = await engine.putProposal(SHOP, id, toRequest({ "a.md": A }), ANA);
    const head = await engine.head(SHOP);
    expect(await engine.putProposal(SHOP, id, toRequest({ "a.md": A }), ANA)).toEqual(first);
    const next = await openEngine(remote, DIRECT);
    expect(await next.putProposal(SHOP, id, toRequest({ "a.md": A }), ANA)).toEqual(first);
    expect(await next.head(SHOP)).toEqual(head);
    const outcomes = (await next.memories(SHOP, { proposals: [id] })).outcomes;
    expect(outcomes[id]).toMatchObject({ state: "merged", seq: 1, rejected: [] });
    await expect(next.putProposal(SHOP, id, toRequest({ "b.md": B }, { seq: 2 }), BEN)).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it.each([
    { name: "a removal", texts: { "a.md": null }, landed: [], open: ["a.md"] },
    { name: "a rename", texts: { "a.md": null, "c.md": A }, landed: [], open: ["a.md", "c.md"] },
    { name: "a change of letters' case", texts: { "a.md": null, "A.md": A2 }, landed: [], open: ["A.md", "a.md"] },
    { name: "a removal beside an addition", texts: { "a.md": null, "b.md": B }, landed: ["b.md"], open: ["a.md"] },
  ])("keeps $name for review, and says which part has landed", async ({ texts, landed, open }) => {
    const { engine } = await openDirect({ "a.md": A });
    const id = ulid();
    const request = toRequest(texts, { bases: basesOf({ "a.md": A }) });
    const { proposal } = await engine.putProposal(SHOP, id, request, ANA);
    const inState = (state: string) =>
      proposal.changes.flatMap((change) => (change.state === state ? [change.key] : [])).sort();
    expect({ state: proposal.state, landed: inState("merged"), open: inState("proposed") }).toEqual({
      state: "open",
      landed,
      open,
    });
    expect(await textsOf(engine)).toEqual({ "a.md": A, ...(landed.length > 0 ? { "b.md": B } : {}) });
    expect((await engine.putProposal(SHOP, id, request, ANA)).proposal).toEqual(proposal);
    const approved = await engine.approve(SHOP, id, {}, RITA);
    expect(approved).toMatchObject({ state: "merged" });
    expect(approved.changes.map(({ key }) => key).sort()).toEqual([...landed, ...open].sort());
    expect(Object.keys(await textsOf(engine))).not.toContain("a.md");
  });

  it("takes what is added to an open set at once, and leaves the rest proposed", async () => {
    const { engine } = await openDirect({ "a.md": A });
    const id = ulid();
    const bases = basesOf({ "a.md": A });
    await engine.putProposal(SHOP, id, toRequest({ "a.md": null }, { bases }), ANA);
    const request = toRequest({ "a.md": null, "b.md": B }, { bases, seq: 2 });
    const { proposal } = await engine.putProposal(SHOP, id, request, ANA);
    expect(proposal).toMatchObject({ state: "open", seq: 2 });
    expect(await textsOf(engine)).toEqual({ "a.md": A, "b.md": B });
    const kept = await engine.putProposal(SHOP, id, toRequest({ "a.md": A2, "b.md": B }, { bases, seq: 3 }), ANA);
    expect(kept.proposal.state).toBe("merged");
    expect(await textsOf(engine)).toEqual({ "a.md": A2, "b.md": B });
    expect(await engine.listProposals(SHOP)).toEqual([]);
  });

  it("a set that has landed once is no conflict where somebody has edited it since", async () => {
    const { engine } = await openDirect({ "a.md": A });
    const id = ulid();
    const bases = basesOf({ "a.md": A });
    const texts = { "a.md": null, "b.md": B };
    await engine.putProposal(SHOP, id, toRequest(texts, { bases }), ANA);
    const edited = memoryText("B", "Edited.");
    await engine.putProposal(SHOP, ulid(), toRequest({ "b.md": edited }, { bases: basesOf({ "b.md": B }) }), BEN);
    const { proposal } = await engine.putProposal(
      SHOP,
      id,
      toRequest({ ...texts, "c.md": A2 }, { bases, seq: 2 }),
      ANA,
    );
    expect(proposal.state).toBe("open");
    expect(await textsOf(engine)).toEqual({ "a.md": A, "b.md": edited, "c.md": A2 });
  });

  it("keeps what a person has committed to the branch for review", async () => {
    const { remote, engine } = await openDirect({ "a.md": A });
    const id = ulid();
    const bases = basesOf({ "a.md": A });
    await engine.putProposal(SHOP, id, toRequest({ "a.md": null }, { bases }), ANA);
    const clone = await cloneRemote(remote, BEN);
    await clone.git("checkout", "-q", "-b", "fix", `origin/team-memory/${id}`);
    await clone.commit({ "x.md": memoryText("X", "By git.") });
    await clone.push(`fix:${toProposalRef(id)}`);
    await engine.refresh();
    const request = toRequest({ "a.md": null, "b.md": B }, { bases, seq: 2 });
    const { proposal } = await engine.putProposal(SHOP, id, request, ANA);
    expect(await textsOf(engine)).toEqual({ "a.md": A, "b.md": B });
    expect(proposal.changes.map(({ key, state }) => [key, state]).sort()).toEqual([
      ["a.md", "proposed"],
      ["b.md", "merged"],
      ["x.md", "proposed"],
    ]);
  });

  it("refuses as it does for proposals: bad texts, secrets, collisions, stale texts and bases", async () => {
    const { remote, engine } = await openDirect({ "a.md": A });
    await merge(engine, { "gone.md": B });
    await merge(engine, { "gone.md": null });
    const before = await remote.port.readRef(BASE_REF);
    const token = ["ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].join("_");
    const texts = {
      "bad.md": "no frontmatter\n",
      "key.md": memoryText("K", token),
      "A.md": B,
      "gone.md": B,
      "ok.md": B,
    };
    const put = engine.putProposal(SHOP, ulid(), toRequest(texts), ANA);
    const { details } = await put.catch((error) => error);
    expect(details.keys.map(({ key, code }: { key: string; code: string }) => [key, code])).toEqual([
      ["bad.md", "invalid_memory"],
      ["key.md", "secret_found"],
      ["gone.md", "stale_text"],
      ["A.md", "key_collision"],
    ]);
    const edit = engine.putProposal(SHOP, ulid(), toRequest({ "a.md": A2 }), ANA);
    await expect(edit).rejects.toMatchObject({ code: "conflict", details: { keys: [{ key: "a.md" }] } });
    expect(await remote.port.readRef(BASE_REF)).toBe(before);
  });

  it("takes 20 people's at once, also two of one key: one lands, the other is told", async () => {
    const { engine } = await openDirect();
    const puts = Array.from({ length: 20 }, (_, at) => {
      const key = at < 2 ? "same.md" : `k${at}.md`;
      return engine.putProposal(SHOP, ulid(), toRequest({ [key]: memoryText(`K${at}`) }), at % 2 === 0 ? ANA : BEN);
    });
    const settled = await Promise.allSettled(puts);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(19);
    const refused = settled.slice(0, 2).filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject([{ reason: { code: "conflict" } }]);
    expect(Object.keys(await textsOf(engine))).toHaveLength(19);
  });
});
