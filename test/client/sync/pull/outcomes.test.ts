import { describe, expect, it } from "vitest";
import { decide } from "../../../../client/sync/pull/outcomes.ts";
import type { State } from "../../../../client/sync/state/journal.ts";
import type { OpenProposal, SentChange } from "../../../../client/sync/state/outbox.ts";
import { emptyHead } from "../../../../client/sync/state/state.ts";
import type { ProposalOutcome } from "../../../../shared/protocol/schemas.ts";

const change = (key: string, blob: string): SentChange => ({ key, blob, text: blob, base: "b", baseBlob: "b" });
const OPEN: OpenProposal = {
  id: "P",
  seq: 3,
  changes: [change("a.md", "a3"), change("new.md", "n3")],
  restore: [],
  acknowledged: { seq: 2, url: "u" },
  earlier: [{ seq: 2, changes: [{ key: "a.md", blob: "a2" }] }],
};

function decideOn(outcome: Partial<ProposalOutcome>) {
  const head = emptyHead({ server: "https://x", project: "p" });
  const state: State = { head, marks: new Map(), outbox: { open: OPEN, forbidden: null } };
  const whole: ProposalOutcome = { state: "merged", seq: 3, reason: null, rejected: [], url: "u", ...outcome };
  return decide(state, new Map([["P", whole]]));
}

describe("decide", () => {
  it("takes for merged the set that was merged, not a later one that was lost on its way", () => {
    expect([...decideOn({ seq: 2 }).proposed]).toEqual([["a.md", { blob: "a2", isMerged: true }]]);
    expect([...decideOn({ seq: 3 }).proposed.keys()]).toEqual(["a.md", "new.md"]);
  });

  it("takes nothing for merged of a set that it does not know", () => {
    expect(decideOn({ seq: 9 }).proposed.size).toBe(0);
  });

  it("marks as rejected the text that the reviewer saw", () => {
    const { marks } = decideOn({ state: "closed", seq: 2, reason: "no" });
    expect([...marks]).toEqual([["a.md", { rejected: { blob: "a2", reason: "no", url: "u" } }]]);
  });

  it("lets a later text of a rejected key stand for the person's wish", () => {
    const { proposed } = decideOn({ state: "open", seq: 2, rejected: ["a.md"] });
    expect(proposed.get("a.md")).toEqual({ blob: "a3", base: "b", isMerged: false });
  });
});
