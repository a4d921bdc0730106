import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import type { Person } from "../../../server/sync/person.ts";
import { BASE_REF, toProposalRef } from "../../../server/sync/proposal/refs.ts";
import { formatMessage } from "../../../server/sync/proposal/trailers.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { memoryText } from "../../support/memory-text.ts";
import {
  ANA,
  BEN,
  COMMITTER,
  merge,
  openAll,
  openEngine,
  person,
  type Remote,
  RITA,
  SHOP,
  textsOf,
  toRequest,
} from "./support.ts";

const A = memoryText("A");
const A2 = memoryText("A", "Second.");
const B = memoryText("B");
const EVIL = memoryText("Evil", "Not by Ana.");

interface Forgery {
  readonly id?: string;
  readonly parent?: string;
  readonly texts?: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly seq?: number;
  readonly author?: Person;
}

/** A branch as anyone with a clone can push it, in the service's and Ana's names. */
async function forge({ port }: Remote, { id = ulid(), texts = { "a.md": EVIL }, ...rest }: Forgery = {}) {
  const ref = toProposalRef(id);
  const old = await port.readRef(ref);
  const changes = await Promise.all(
    Object.entries(texts).map(async ([key, text]) => {
      const blob = await port.writeBlob(Buffer.from(text));
      return { path: `projects/${SHOP}/team/${key}`, blob };
    }),
  );
  const none = { content: null, isTitled: true, sent: new Map(), reviewer: null, head: null, part: false };
  const trailers = { proposal: id, project: SHOP, person: ANA.id, seq: rest.seq ?? 1, ...none };
  const head = await port.commitChanges({
    parents: [rest.parent ?? (await port.readRef(BASE_REF)) ?? ""],
    changes,
    author: rest.author ?? ANA,
    committer: COMMITTER,
    at: new Date(),
    message: rest.message ?? formatMessage("Trust me", trailers),
  });
  await port.publish([{ ref, expectedOld: old, new: head }]);
  return { id, head };
}

async function openForged(forgery: Forgery = {}) {
  const { remote, engine } = await openAll();
  const forged = await forge(remote, forgery);
  await engine.refresh();
  return { remote, engine, ...forged };
}

describe("a branch that somebody pushes in the service's and another person's names", () => {
  it("is shown as pushed with git, by whom git says", async () => {
    const { engine, id } = await openForged();
    expect(await engine.proposal(SHOP, id)).toMatchObject({ by: "Ana Author (pushed with git)", state: "open" });
    expect(await engine.listProposals(SHOP)).toMatchObject([{ by: "Ana Author (pushed with git)" }]);
  });

  it("with a seal copied from a commit of Ana's is no more hers", async () => {
    const { remote, engine } = await openAll();
    const id = ulid();
    const { proposal } = await engine.putProposal(SHOP, id, toRequest({ "a.md": A }), ANA);
    const { message } = await remote.port.readCommit(proposal.head ?? "");
    expect(message).toContain("Team-Memory-Seal: ");
    await forge(remote, { id, message });
    await engine.refresh();
    expect(await engine.proposal(SHOP, id)).toMatchObject({ by: "Ana Author (pushed with git)" });
  });

  it.each<{ name: string; act: (opened: Awaited<ReturnType<typeof openForged>>) => Promise<unknown> }>([
    {
      name: "a key is rejected",
      act: ({ engine, id }) => engine.close(SHOP, id, { keys: ["a.md"], reason: "No" }, RITA),
    },
    { name: "a key is approved", act: ({ engine, id }) => engine.approve(SHOP, id, { keys: ["a.md"] }, RITA) },
  ])("does not become Ana's when $name, and keeps its commit", async ({ act }) => {
    const opened = await openForged({ texts: { "a.md": EVIL, "b.md": B } });
    await act(opened);
    const fresh = await openEngine(opened.remote);
    const { head, by } = await fresh.proposal(SHOP, opened.id);
    expect(by).toBe("Ana Author (pushed with git)");
    const { parents } = await opened.remote.port.readCommit(head ?? "");
    expect([head, ...parents]).toContain(opened.head);
  });

  it("is in the history of what it brought as pushed with git, once it is approved", async () => {
    const { engine, id } = await openForged();
    await engine.approve(SHOP, id, {}, RITA);
    expect(await engine.proposal(SHOP, id)).toMatchObject({ state: "merged", by: "Ana Author (pushed with git)" });
    const { upserts } = (await engine.memories(SHOP, { proposals: [] })).body;
    expect(upserts).toMatchObject([{ key: "a.md", changedBy: "Ana Author (pushed with git)" }]);
  });

  it("cannot be gone on with by another person", async () => {
    const { engine, id } = await openForged();
    const put = engine.putProposal(SHOP, id, toRequest({ "b.md": B }, { seq: 2 }), BEN);
    await expect(put).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("a commit that somebody pushes in the service's name onto Ana's branch", () => {
  it("is listed under who pushed it beside her, the newest names first and no more than a few", async () => {
    const { remote, engine } = await openAll();
    const id = ulid();
    const { proposal } = await engine.putProposal(SHOP, id, toRequest({ "a.md": A }), ANA);
    let parent = proposal.head ?? "";
    const count = LIMITS.pushersNamedMax + 1;
    for (let at = 0; at < count; at += 1)
      parent = (await forge(remote, { id, parent, author: person("m", `M${at}`) })).head;
    await engine.refresh();
    const names = Array.from({ length: LIMITS.pushersNamedMax }, (_, at) => `M${count - 1 - at} (pushed with git)`);
    expect((await engine.proposal(SHOP, id)).by).toBe([ANA.name, ...names].join(", "));
  });

  it("is approved as theirs, and what Ana sent as hers", async () => {
    const { remote, engine } = await openAll();
    const id = ulid();
    const { proposal } = await engine.putProposal(SHOP, id, toRequest({ "a.md": A, "b.md": B }), ANA);
    await forge(remote, { id, parent: proposal.head ?? "", author: BEN, message: "Corrected" });
    await engine.refresh();
    const pushed = `${BEN.name} (pushed with git)`;
    const { by, checks } = await engine.proposal(SHOP, id);
    expect(by).toBe(`${ANA.name}, ${pushed}`);
    expect(checks).toMatchObject([{ key: "a.md", check: "pushed" }]);
    expect(await engine.approve(SHOP, id, {}, RITA)).toMatchObject({ state: "merged", by: `${ANA.name}, ${pushed}` });
    for (const each of [engine, await openEngine(remote)]) {
      const { upserts } = (await each.memories(SHOP, { proposals: [] })).body;
      expect(upserts.map(({ key, text, changedBy }) => [key, text, changedBy]).sort()).toEqual([
        ["a.md", EVIL, pushed],
        ["b.md", B, ANA.name],
      ]);
      expect((await each.proposal(SHOP, id)).changes.map(({ state }) => state)).toEqual(["merged", "merged"]);
      expect(await each.listProposals(SHOP)).toEqual([]);
    }
    expect(await remote.port.readRef(toProposalRef(id))).toBeNull();
    const head = await remote.port.readCommit((await remote.port.readRef(BASE_REF)) ?? "");
    expect(head.author).toMatchObject({ name: pushed, email: BEN.email });
  });

  it("is a person's: nothing is built over it, and what Ana sent is what she sent", async () => {
    const { remote, engine } = await openAll();
    const id = ulid();
    const { proposal } = await engine.putProposal(SHOP, id, toRequest({ "a.md": A, "b.md": B }), ANA);
    const pushed = await forge(remote, { id, parent: proposal.head ?? "", seq: 900_000_000 });
    await engine.refresh();
    const put = (seq: number, texts: Record<string, string>) =>
      engine.putProposal(SHOP, id, toRequest(texts, { seq }), ANA);
    await expect(put(2, { "a.md": A2, "b.md": B })).rejects.toMatchObject({ code: "conflict" });
    const { proposal: next } = await put(2, { "a.md": A });
    expect(next).toMatchObject({
      by: `${ANA.name}, ${ANA.name} (pushed with git)`,
      seq: 2,
      changes: [{ key: "a.md", blob: blobIdOf(EVIL) }],
    });
    expect((await remote.port.readCommit(next.head ?? "")).parents).toEqual([pushed.head]);
  });
});

describe("a service whose secret is another one by now", () => {
  async function openRekeyed(texts: Record<string, string> = { "a.md": A, "b.md": B }) {
    const { remote, engine: before } = await openAll();
    await merge(before, { "base.md": memoryText("Base") });
    const id = ulid();
    const { proposal } = await before.putProposal(SHOP, id, toRequest(texts), ANA);
    await before.stop();
    const engine = await openEngine(remote, { secret: "another secret of thirty-two characters" });
    const put = (seq: number, wanted: Record<string, string>) =>
      engine.putProposal(SHOP, id, toRequest(wanted, { seq }), ANA);
    const parentsOf = async (head: string | null) => (await remote.port.readCommit(head ?? "")).parents;
    return { remote, engine, id, head: proposal.head, put, parentsOf };
  }

  it("lets their person go on with what is open, appends, and knows them again from then on", async () => {
    const { engine, id, head, put, parentsOf } = await openRekeyed();
    expect(await engine.proposal(SHOP, id)).toMatchObject({ by: "Ana Author (pushed with git)" });
    expect(await put(1, { "a.md": A, "b.md": B })).toMatchObject({ created: false, proposal: { head } });
    const { proposal } = await put(2, { "a.md": A2 });
    expect(proposal).toMatchObject({ changes: [{ key: "a.md", blob: blobIdOf(A2) }] });
    expect(proposal.by).toBe(`${ANA.name}, ${ANA.name} (pushed with git)`);
    expect(await parentsOf(proposal.head)).toEqual([head]);
    const { proposal: later } = await put(3, { "a.md": A });
    expect(await parentsOf(later.head)).toEqual([proposal.head]);
    expect((await engine.proposal(SHOP, id)).checks).toMatchObject([{ key: "b.md", check: "history" }]);
  });

  it("deletes no branch of before that is withdrawn", async () => {
    const { engine, id, head, put, parentsOf } = await openRekeyed();
    const { proposal } = await put(2, {});
    expect(proposal).toMatchObject({ state: "open", changes: [] });
    expect(await parentsOf(proposal.head)).toEqual([head]);
    expect(await engine.close(SHOP, id, { reason: "Withdrawn" }, RITA)).toMatchObject({ state: "closed" });
  });

  it("has reviewers approve and reject as before, and reads the base's history the same", async () => {
    const { remote, engine, id } = await openRekeyed({ "a.md": A, "b.md": B, "c.md": memoryText("C") });
    await engine.approve(SHOP, id, { keys: ["a.md"] }, RITA);
    await engine.close(SHOP, id, { keys: ["c.md"], reason: "No" }, RITA);
    expect(await engine.approve(SHOP, id, { keys: ["b.md"] }, RITA)).toMatchObject({ state: "merged" });
    const third = await openEngine(remote, { secret: "a third secret, of thirty-two characters" });
    expect(await third.proposal(SHOP, id)).toEqual(await engine.proposal(SHOP, id));
    expect(Object.keys(await textsOf(third)).sort()).toEqual(["a.md", "b.md", "base.md"]);
  });
});
