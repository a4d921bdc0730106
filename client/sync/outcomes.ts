import type { ProposalOutcome } from "../../shared/protocol/schemas.ts";
import type { ProposedFact } from "./plan-pull.ts";
import type { ReportedOutcome } from "./report.ts";
import type { State } from "./state/journal.ts";
import { type KeyMarks, type Marks, NO_MARKS } from "./state/marks.ts";
import type { OpenProposal, Outbox } from "./state/outbox.ts";

/**
 * What reviewers decided about this machine's open proposal, as the state that follows from it: pure. A closed proposal,
 * or a key that a reviewer left out, leaves the person's text where it is, marked, and not sent again as it stands.
 */
export interface Decided {
  readonly marks: Marks;
  readonly outbox: Outbox;
  /** What was sent for each key, as far as it still stands for the person's wish. */
  readonly proposed: ReadonlyMap<string, ProposedFact>;
  readonly reported: readonly ReportedOutcome[];
}

export function decide(state: State, outcomes: ReadonlyMap<string, ProposalOutcome>): Decided {
  const { open } = state.outbox;
  const outcome = open === null ? undefined : outcomes.get(open.id);
  if (open === null) return { marks: state.marks, outbox: state.outbox, proposed: new Map(), reported: [] };
  if (outcome === undefined) return undecided(state, open, []);
  const rejected = open.changes.filter(({ key }) => isRejected(key, outcome));
  const marks = rejected.length === 0 ? state.marks : markRejected(state.marks, rejected, outcome);
  const isNews = outcome.state !== "open" || rejected.some(({ key }) => state.marks.get(key)?.rejected === undefined);
  const reported = isNews ? [{ id: open.id, ...outcome }] : [];
  if (outcome.state === "open") return { ...undecided({ ...state, marks }, open, outcome.rejected), reported };
  const isMerged = outcome.state === "merged";
  const kept = isMerged ? open.changes.filter(({ key }) => !isRejected(key, outcome)) : [];
  return {
    marks,
    outbox: { ...state.outbox, open: null },
    proposed: new Map(kept.map(({ key, blob }) => [key, { blob, isMerged }])),
    reported,
  };
}

function undecided({ marks, outbox }: State, open: OpenProposal, rejected: readonly string[]): Decided {
  const waiting = open.changes.filter(({ key }) => !rejected.includes(key));
  const proposed = new Map(waiting.map(({ key, blob }) => [key, { blob, isMerged: false }]));
  return { marks, outbox, proposed, reported: [] };
}

function isRejected(key: string, { state, rejected }: ProposalOutcome): boolean {
  return state === "closed" || rejected.includes(key);
}

function markRejected(marks: Marks, rejected: OpenProposal["changes"], { reason, url }: ProposalOutcome): Marks {
  const marked = rejected.map(({ key, blob }): [string, KeyMarks] => [
    key,
    { ...(marks.get(key) ?? NO_MARKS), rejected: { blob, reason, url } },
  ]);
  return new Map([...marks, ...marked]);
}
