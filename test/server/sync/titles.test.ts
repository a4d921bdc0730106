import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { BASE_REF, toProposalRef } from "../../../server/sync/proposal/refs.ts";
import { memoryText } from "../../support/memory-text.ts";
import { ANA, cloneRemote, openAll, type Remote, RITA, SHOP, toRequest } from "./support.ts";

const [A, B, C] = ["A", "B", "C"].map((name) => memoryText(name)) as [string, string, string];

async function openProposal(texts: Record<string, string | null>, title?: string) {
  const { remote, engine } = await openAll();
  const id = ulid();
  const put = (seq: number, wanted: Record<string, string | null>, said?: string) =>
    engine.putProposal(SHOP, id, toRequest(wanted, { seq, ...(said !== undefined && { title: said }) }), ANA);
  const { proposal } = await put(1, texts, title);
  return { remote, engine, id, proposal, put };
}

async function subjectOf({ port }: Remote, ref: string): Promise<string | undefined> {
  return (await port.readCommit((await port.readRef(ref)) ?? "")).message.split("\n")[0];
}

describe("a proposal's title", () => {
  it("and its commit's subject follow what it proposes", async () => {
    const { remote, id, proposal, put } = await openProposal({ "b.md": B });
    expect(proposal.title).toBe("Propose b.md");
    const steps: [Record<string, string | null>, string][] = [
      [{ "b.md": B, "a.md": A, "c.md": C }, "Propose a.md and 2 more"],
      [{ "b.md": B, "c.md": C }, "Propose b.md and 1 more"],
      [{ "c.md": C }, "Propose c.md"],
    ];
    for (const [at, [texts, title]] of steps.entries()) {
      expect((await put(at + 2, texts)).proposal.title).toBe(title);
      expect(await subjectOf(remote, toProposalRef(id))).toBe(title);
    }
  });

  it("leaves out what a reviewer rejects, approves, or adds", async () => {
    const { remote, engine, id } = await openProposal({ "a.md": A, "b.md": B, "c.md": C });
    expect((await engine.close(SHOP, id, { keys: ["a.md"], reason: "No" }, RITA)).title).toBe(
      "Propose b.md and 1 more",
    );
    expect((await engine.approve(SHOP, id, { keys: ["b.md"] }, RITA)).title).toBe("Propose c.md");
    expect(await subjectOf(remote, BASE_REF)).toBe("Propose b.md");
    const clone = await cloneRemote(remote);
    await clone.git("checkout", "-q", "-b", "fix", `origin/team-memory/${id}`);
    await clone.commit({ "d.md": memoryText("D") });
    await clone.push(`fix:${toProposalRef(id)}`);
    await engine.refresh();
    expect((await engine.proposal(SHOP, id)).title).toBe("Propose c.md and 1 more");
  });

  it("says that it removes where it does nothing else", async () => {
    const { engine, id } = await openProposal({ "a.md": A });
    await engine.approve(SHOP, id, {}, RITA);
    const { upserts } = (await engine.memories(SHOP, { proposals: [] })).body;
    const bases = { "a.md": upserts[0]?.blob ?? "" };
    const removal = await engine.putProposal(SHOP, ulid(), toRequest({ "a.md": null }, { bases }), ANA);
    expect(removal.proposal.title).toBe("Remove a.md");
    const texts = { "a.md": null, "b.md": B };
    const both = await engine.putProposal(SHOP, ulid(), toRequest(texts, { bases }), ANA);
    expect(both.proposal.title).toBe("Propose a.md and 1 more");
  });

  it("that its person gave stays, until another one is given", async () => {
    const { remote, engine, id, put } = await openProposal({ "a.md": A }, "Why A");
    expect((await put(2, { "a.md": A, "b.md": B })).proposal.title).toBe("Why A");
    expect((await engine.close(SHOP, id, { keys: ["b.md"], reason: "No" }, RITA)).title).toBe("Why A");
    expect((await put(3, { "a.md": A, "c.md": C }, "Why A and C")).proposal.title).toBe("Why A and C");
    await engine.approve(SHOP, id, {}, RITA);
    expect(await subjectOf(remote, BASE_REF)).toBe("Why A and C");
  });
});
