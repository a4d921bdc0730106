import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { BASE_REF } from "../../../server/sync/proposal/refs.ts";
import { assertSound } from "../../support/git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { ANA, cloneRemote, openAgain, openAll, openEngine, person, RITA, SHOP, textsOf, toRequest } from "./support.ts";

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("writes at once", () => {
  it("20 people propose at once, each twice: all land, none twice", async () => {
    const { remote, engine } = await openAll();
    const puts = range(20).map((index) => {
      const set = toRequest({ [`k${index}.md`]: memoryText(`K${index}`) });
      return { id: ulid(), set, who: person(`p${index}`, `Person ${index}`) };
    });
    const results = await Promise.all(
      [...puts, ...puts].map(({ id, set, who }) => engine.putProposal(SHOP, id, set, who)),
    );
    expect(results.filter(({ created }) => created)).toHaveLength(20);
    expect(await engine.listProposals(SHOP)).toHaveLength(20);
    expect((await remote.port.readRefs("refs/heads/team-memory/")).size).toBe(20);
    await Promise.all(puts.map(({ id }) => engine.approve(SHOP, id, {}, RITA)));
    expect(Object.keys(await textsOf(engine))).toHaveLength(20);
    await assertSound(remote.gitDir);
  }, 60_000);

  it("two engines over one repository propose and approve at once: nothing is lost", async () => {
    const { remote, engine } = await openAll();
    const engines = [engine, await openEngine(await openAgain(remote))];
    const works = range(16).map(async (index) => {
      const [mine, other] = index % 2 === 0 ? engines : engines.toReversed();
      const id = ulid();
      await mine?.putProposal(SHOP, id, toRequest({ [`k${index}.md`]: memoryText(`K${index}`) }), ANA);
      return other?.approve(SHOP, id, {}, RITA);
    });
    const approved = await Promise.all(works);
    expect(approved.every((proposal) => proposal?.state === "merged")).toBe(true);
    for (const each of engines) {
      await each.refresh();
      expect(Object.keys(await textsOf(each)).sort()).toEqual(
        range(16)
          .map((index) => `k${index}.md`)
          .sort(),
      );
      expect(await each.listProposals(SHOP)).toEqual([]);
    }
    await assertSound(remote.gitDir);
  }, 60_000);

  it("two engines approve the same proposal at once: it is merged once", async () => {
    const { remote, engine } = await openAll();
    const other = await openEngine(await openAgain(remote));
    const id = ulid();
    const { proposal } = await engine.putProposal(SHOP, id, toRequest({ "a.md": memoryText("A") }), ANA);
    const before = await remote.port.readRef(BASE_REF);
    const results = await Promise.all([engine, other].map((each) => each.approve(SHOP, id, {}, RITA)));
    expect(results.map(({ state }) => state)).toEqual(["merged", "merged"]);
    const base = await remote.port.readCommit((await remote.port.readRef(BASE_REF)) ?? "");
    expect(base.parents).toEqual([before]);
    expect(base.message).toContain(proposal.head);
  });

  it("a proposal that is merged between another engine's two reads is merged there, not gone", async () => {
    const { remote, engine } = await openAll();
    const { port } = await openAgain(remote);
    const id = ulid();
    let isDue = false;
    const mergeAfter = async <T>(read: Promise<T>): Promise<T> => {
      const value = await read;
      if (!isDue) return value;
      isDue = false;
      await engine.approve(SHOP, id, {}, RITA);
      return value;
    };
    const git = {
      ...port,
      readRef: (ref: string) => (ref === BASE_REF ? mergeAfter(port.readRef(ref)) : port.readRef(ref)),
      readRefs: (prefix: string) => mergeAfter(port.readRefs(prefix)),
    };
    const other = await openEngine(remote, { git });
    await engine.putProposal(SHOP, id, toRequest({ "a.md": memoryText("A") }), ANA);
    isDue = true;
    expect((await other.approve(SHOP, id, {}, RITA)).state).toBe("merged");
    expect(isDue).toBe(false);
  });

  it("two engines take sets of one proposal at once: the higher one stands, the lower is told so", async () => {
    const { remote, engine } = await openAll();
    const other = await openEngine(await openAgain(remote));
    const id = ulid();
    const sets = [1, 2].map((seq) => toRequest({ "a.md": memoryText("A", `Set ${seq}.`) }, { seq }));
    const [first, second] = await Promise.allSettled([
      engine.putProposal(SHOP, id, sets[0]!, ANA),
      other.putProposal(SHOP, id, sets[1]!, ANA),
    ]);
    expect(second.status).toBe("fulfilled");
    if (first.status === "rejected") expect(first.reason.code).toBe("sequence_conflict");
    await engine.refresh();
    expect(await engine.proposal(SHOP, id)).toMatchObject({ seq: 2, diff: [{ after: memoryText("A", "Set 2.") }] });
  });

  it("approvals race with a reviewer's pushes to the base: both are there in the end", async () => {
    const { remote, engine } = await openAll();
    const ids = range(6).map(() => ulid());
    for (const [index, id] of ids.entries()) {
      await engine.putProposal(SHOP, id, toRequest({ [`k${index}.md`]: memoryText(`K${index}`) }), ANA);
    }
    const clone = await cloneRemote(remote);
    const pushing = (async () => {
      let pushed = 0;
      for (let round = 0; round < 6; round += 1) {
        await clone.update();
        await clone.commit({ [`r${round}.md`]: memoryText(`R${round}`) });
        pushed += await clone.push().then(
          () => 1,
          () => 0,
        );
      }
      return pushed;
    })();
    for (const id of ids) expect((await engine.approve(SHOP, id, {}, RITA)).state).toBe("merged");
    const pushed = await pushing;
    await engine.refresh();
    const keys = Object.keys(await textsOf(engine));
    expect(keys.filter((key) => key.startsWith("k"))).toHaveLength(6);
    expect(keys.filter((key) => key.startsWith("r"))).toHaveLength(pushed);
    await assertSound(remote.gitDir);
  }, 60_000);

  it("a proposal made while the remote is looked at is not taken for a deleted one", async () => {
    const { engine } = await openAll();
    const ids = range(10).map(() => ulid());
    const puts = ids.map((id, index) =>
      engine.putProposal(SHOP, id, toRequest({ [`k${index}.md`]: memoryText(`K${index}`) }), ANA),
    );
    await Promise.all([...puts, ...range(10).map(() => engine.refresh())]);
    await engine.refresh();
    expect(await engine.listProposals(SHOP)).toHaveLength(10);
  });
});
