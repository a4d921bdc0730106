import type { ProposalOutcome } from "../../../shared/protocol/schemas.ts";
import type { State } from "../state/journal.ts";
import { type KeyMarks, type Marks, NO_MARKS } from "../state/marks.ts";
import type { OpenProposal, Outbox, SentSet } from "../state/outbox.ts";
import type { ProposedFact } from "./plan-pull.ts";

/**
 * What reviewers decided about this machine's open proposal, as the state that follows from it: pure. A closed proposal,
 * or a key that a reviewer left out, leaves the person's text where it is, marked, and not sent again as it stands.
 */
export interface Decided {
  readonly marks: Marks;
  readonly outbox: Outbox;
  /** What was sent for each key, as far as it still stands for the person's wish. */
  readonly proposed: ReadonlyMap<string, ProposedFact>;
  readonly reported: readonly DecidedOutcome[];
}

/** What a reviewer has decided, before it is known what became of each key here. */
export interface DecidedOutcome extends ProposalOutcome {
  readonly id: string;
  /** Of the rejected keys those whose removal was proposed. */
  readonly removals: readonly string[];
}

export function decide(state: State, outcomes: ReadonlyMap<string, ProposalOutcome>): Decided {
  const { open } = state.outbox;
  const outcome = open === null ? undefined : outcomes.get(open.id);
  if (open === null) return { marks: state.marks, outbox: state.outbox, proposed: new Map(), reported: [] };
  if (outcome === undefined) return { ...undecided(state, open, []), reported: [] };
  const taken = findTaken(open, outcome);
  const rejected = (taken ?? open).changes.filter(({ key }) => isRejected(key, outcome));
  const marks = rejected.length === 0 ? state.marks : markRejected(state.marks, rejected, outcome);
  const isNews = outcome.state !== "open" || rejected.some(({ key }) => state.marks.get(key)?.rejected === undefined);
  const reported = isNews ? [{ id: open.id, ...outcome, ...toRejected(rejected) }] : [];
  if (outcome.state === "open") return { ...undecided({ ...state, marks }, open, rejected), reported };
  const merged = outcome.state === "merged" ? (taken?.changes ?? []) : [];
  const kept = merged.filter(({ key }) => !isRejected(key, outcome));
  return {
    marks,
    outbox: { ...state.outbox, open: null },
    proposed: new Map<string, ProposedFact>([
      ...findRefused(open, rejected),
      ...kept.map(({ key, blob }) => [key, { blob, isMerged: true as const }] as const),
    ]),
    reported,
  };
}

/** A missing file is no deletion: the text that was said no to goes back where it lay, for it is nowhere else now. */
function findRefused({ changes }: OpenProposal, rejected: SentSet["changes"]): (readonly [string, ProposedFact])[] {
  return changes
    .filter(({ key, text }) => text !== null && rejected.some((one) => one.key === key))
    .map(({ key, blob, base }) => [key, { blob, base, isMerged: false as const }] as const);
}

function toRejected(rejected: SentSet["changes"]): Pick<DecidedOutcome, "rejected" | "removals"> {
  const removals = rejected.filter(({ blob }) => blob === null);
  return { rejected: rejected.map(({ key }) => key), removals: removals.map(({ key }) => key) };
}

/** The set that was decided about: a later one may have been lost on its way. Null: it is not known any more. */
function findTaken(open: OpenProposal, { seq }: ProposalOutcome): SentSet | null {
  return [open, ...open.earlier].find((set) => set.seq === seq) ?? null;
}

type Undecided = Pick<Decided, "marks" | "outbox" | "proposed">;

function undecided({ marks, outbox }: State, open: OpenProposal, rejected: SentSet["changes"]): Undecided {
  const isWaiting = ({ key, blob }: SentSet["changes"][number]) =>
    !rejected.some((one) => one.key === key && one.blob === blob);
  const waiting = open.changes.filter(isWaiting);
  const proposed = new Map(waiting.map(({ key, blob, base }) => [key, { blob, base, isMerged: false as const }]));
  return { marks, outbox, proposed };
}

function isRejected(key: string, { state, rejected }: ProposalOutcome): boolean {
  return state === "closed" || rejected.includes(key);
}

function markRejected(marks: Marks, rejected: SentSet["changes"], { reason, url }: ProposalOutcome): Marks {
  const marked = rejected.map(({ key, blob }): [string, KeyMarks] => [
    key,
    { ...(marks.get(key) ?? NO_MARKS), rejected: { blob, reason, url } },
  ]);
  return new Map([...marks, ...marked]);
}
