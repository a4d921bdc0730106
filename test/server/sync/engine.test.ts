import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { assertSound } from "../../support/git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { ANA, BEN, EMPTY_TREE, merge, openAll, openEngine, RITA, SHOP, textsOf, toRequest } from "./support.ts";

describe("a memory's way", () => {
  it("is proposed on a branch, approved onto the base, and served", async () => {
    const { remote, engine } = await openAll();
    const id = ulid();
    const put = await engine.putProposal(SHOP, id, toRequest({ "feedback_db.md": memoryText("Database") }), ANA);
    expect(put).toMatchObject({ created: true, proposal: { state: "open", seq: 1, by: ANA.name, conflicts: [] } });
    expect(put.proposal.changes).toEqual([
      {
        key: "feedback_db.md",
        kind: "added",
        baseBlob: null,
        blob: blobIdOf(memoryText("Database")),
        state: "proposed",
      },
    ]);
    expect(await engine.head(SHOP)).toMatchObject({ tree: EMPTY_TREE, memories: 0, openProposals: 1 });

    const approved = await engine.approve(SHOP, id, { head: put.proposal.head ?? "" }, RITA);
    expect(approved).toMatchObject({
      state: "merged",
      head: null,
      changes: [{ key: "feedback_db.md", state: "merged" }],
    });
    expect(await engine.head(SHOP)).toMatchObject({ memories: 1, openProposals: 0 });
    const { body } = await engine.memories(SHOP, { proposals: [] });
    expect(body.upserts).toMatchObject([{ key: "feedback_db.md", text: memoryText("Database"), changedBy: ANA.name }]);
    expect(await remote.port.readRefs("refs/heads/team-memory/")).toEqual(new Map());
    await assertSound(remote.gitDir);
  });

  it("survives a restart at every stage", async () => {
    const { remote, engine } = await openAll();
    const id = ulid();
    await engine.putProposal(SHOP, id, toRequest({ "a.md": memoryText("A") }, { title: "Why A" }), ANA);
    const open = await (await openEngine(remote)).proposal(SHOP, id);
    expect(open).toMatchObject({ state: "open", title: "Why A", by: ANA.name, diff: [{ key: "a.md", before: null }] });
    await engine.approve(SHOP, id, {}, RITA);
    const later = await openEngine(remote);
    expect(await later.proposal(SHOP, id)).toMatchObject({ state: "merged", by: ANA.name, title: "Why A" });
    expect(await textsOf(later)).toEqual({ "a.md": memoryText("A") });
    expect((await later.history(SHOP, "a.md" as never)).changes).toMatchObject([{ changedBy: ANA.name, proposal: id }]);
  });

  it("edits and removes by proposals too", async () => {
    const { engine } = await openAll();
    await merge(engine, { "a.md": memoryText("A"), "b.md": memoryText("B") });
    const edited = await merge(engine, { "a.md": memoryText("A", "Better."), "b.md": null });
    expect(edited.changes.map(({ kind }) => kind)).toEqual(["changed", "removed"]);
    expect(await textsOf(engine)).toEqual({ "a.md": memoryText("A", "Better.") });
  });

  it("lists projects, also one that is only proposed", async () => {
    const { engine } = await openAll();
    expect(await engine.listProjects()).toEqual([]);
    await engine.putProposal(SHOP, ulid(), toRequest({ "a.md": memoryText("A") }), BEN);
    expect(await engine.listProjects()).toEqual([{ project: SHOP, memories: 0, openProposals: 1 }]);
    await merge(engine, { "b.md": memoryText("B") });
    expect(await engine.listProjects()).toEqual([{ project: SHOP, memories: 1, openProposals: 1 }]);
  });
});
