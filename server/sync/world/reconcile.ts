/**
 * What must be done so that branches, the base and what was recorded agree: a pure function of the three, run at every
 * look at the remote. It asks what is, never what happened, so it may run again at any time and after any kill.
 */
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { Verdict } from "../../forge/forge-desk.ts";
import type { GitId } from "../../git/port.ts";
import type { HistoryIndex } from "../history/history-index.ts";
import type { MergeRecord } from "../history/history-record.ts";
import { judgeProposal } from "../proposal/judge-proposal.ts";
import type { Outcome, OutcomeChange } from "../proposal/outcome.ts";
import type { Outcomes } from "../proposal/outcomes.ts";
import { type OpenProposal, toBy } from "../proposal/proposal.ts";

export interface ReconcileFacts {
  readonly index: HistoryIndex;
  readonly outcomes: Outcomes;
  /** Proposals that have a branch. */
  readonly open: Iterable<OpenProposal>;
  /** Branches whose head the base contains. */
  readonly landed: Iterable<{ readonly id: string; readonly head: GitId }>;
  /** Proposals that had a branch when they were last seen, and have none now. */
  readonly gone: Iterable<OpenProposal>;
  /** What a forge says of their pull requests, by id; null: it did not say what became of those that are gone. */
  readonly verdicts: ReadonlyMap<string, Verdict> | null;
  readonly now: Date;
}

export type ReconcileAction =
  /** The branch of a finished proposal is left over. */
  | { readonly kind: "delete"; readonly id: string; readonly head: GitId }
  /** What became of a proposal, where git does not tell. */
  | { readonly kind: "record"; readonly outcome: Outcome }
  /** What was recorded is not true any more: its person's next set was taken meanwhile. */
  | { readonly kind: "forget"; readonly id: string }
  /** Its branch is gone, and whether it was merged only the forge knows, which cannot be asked now. */
  | { readonly kind: "wait"; readonly id: string }
  /** Keys that a reviewer rejected are still on the branch. */
  | { readonly kind: "retract"; readonly open: OpenProposal; readonly keys: readonly string[] };

export function planReconcile(facts: ReconcileFacts): readonly ReconcileAction[] {
  return [
    ...[...facts.landed].flatMap((branch) => planLanded(facts, branch)),
    ...[...facts.open].flatMap((open) => planOpen(facts, open)),
    ...[...facts.gone].flatMap((gone) => planGone(facts, gone)),
  ];
}

/** Merged by fast-forward or merge commit. A branch without a commit of ours is somebody's own affair. */
function planLanded({ index }: ReconcileFacts, { id, head }: { id: string; head: GitId }): ReconcileAction[] {
  return index.merges(id).length === 0 ? [] : [{ kind: "delete", id, head }];
}

function planOpen(facts: ReconcileFacts, open: OpenProposal): ReconcileAction[] {
  const { id, head } = open;
  const told = facts.outcomes.get(id);
  if (isEnded(facts, open)) return isLeftOver(facts, open) ? [{ kind: "delete", id, head }] : [];
  if (told !== undefined && told.state !== "open") return [{ kind: "forget", id }];
  const end = findUntoldMerge(facts, open) ?? findVerdict(facts, open);
  if (end !== null)
    return [
      { kind: "record", outcome: end },
      { kind: "delete", id, head },
    ];
  return planRejected(told, open);
}

type EndFacts = Pick<ReconcileFacts, "index" | "outcomes">;

/**
 * Whoever may push branches can put one back that had ended, with commits of their own on top: what was decided stays. Only a
 * set that the service itself took after the end goes on.
 */
export function isEnded(facts: EndFacts, open: OpenProposal): boolean {
  const { isSealed, seq, head } = open;
  return findEnds(facts, open.id).some((end) => end.head === head || !isSealed || seq <= end.seq);
}

/** Not with commits on it that nobody has decided about: such a branch is somebody's own affair. */
function isLeftOver(facts: EndFacts, { id, head, hasHumanCommits }: OpenProposal): boolean {
  return !hasHumanCommits || findEnds(facts, id).some((end) => end.head === head);
}

function findEnds({ index, outcomes }: EndFacts, id: string): readonly Pick<Outcome, "seq" | "head">[] {
  const told = outcomes.get(id);
  return told !== undefined && told.state !== "open" ? [told] : findApprovals(index.merges(id));
}

/** The service's own merges of the whole, approved or in no need of that. */
function findApprovals(merges: readonly MergeRecord[]): readonly MergeRecord[] {
  return merges.filter(({ kind, part, head }) => kind !== "squashed" && !part && head !== null);
}

/** Merged by somebody who squashed it: with our trailers in the message, or by hand without. */
function findUntoldMerge({ index, now }: ReconcileFacts, proposal: OpenProposal): Outcome | null {
  const standing = judgeProposal(index, proposal);
  const isWhole = standing.size > 0 && proposal.foreign.length === 0;
  const stood = isWhole && [...standing.values()].every((state) => state === "stood");
  if (!stood && !isSquashed(index.merges(proposal.id), proposal)) return null;
  return toMerged({ index, now }, proposal);
}

type MergeFacts = Pick<ReconcileFacts, "index" | "now">;

/** Key by key: what the base did not take was left out of the merge. */
function toMerged({ index, now }: MergeFacts, proposal: OpenProposal): Outcome {
  const standing = judgeProposal(index, proposal);
  const isMerged = (key: MemoryKey) => standing.get(key) === "stood" || hasChanged(index, proposal, key);
  return toOutcome(proposal, { state: "merged", now, stateOf: (key) => (isMerged(key) ? "merged" : "rejected") });
}

/** What git alone does not tell: squashed with edits and other words, or closed by a reviewer. */
function findVerdict(facts: ReconcileFacts, open: OpenProposal): Outcome | null {
  const verdict = facts.verdicts?.get(open.id);
  if (verdict === undefined || verdict.state === "open") return null;
  if (verdict.state === "closed") return toClosed(facts, open, facts.outcomes.get(open.id));
  // Until this look has the commit, what the base took of it is not known.
  const isHere = verdict.mergeCommit === null || facts.index.ordinal(verdict.mergeCommit) !== undefined;
  return isHere ? toMerged(facts, open) : null;
}

/** By a commit that repeats the trailers of all that the branch has now, and is no older. */
function isSquashed(merges: readonly MergeRecord[], { seq, updatedAt }: OpenProposal): boolean {
  return merges.some(
    (merge) => merge.kind === "squashed" && !merge.part && merge.seq >= seq && merge.at >= updatedAt.getTime(),
  );
}

/** Left as it was, the reviewer did not want it; changed in another way, it was merged with edits. */
function hasChanged(index: HistoryIndex, { project, fork }: OpenProposal, key: string): boolean {
  const last = index.entries(project, key).at(-1);
  return last !== undefined && last.ordinal > (index.ordinal(fork) ?? 0);
}

function planRejected(told: Outcome | undefined, open: OpenProposal): ReconcileAction[] {
  const rejected = (told?.changes ?? []).filter(({ key, blob }) => open.changes.get(key)?.blob === blob);
  const keys = rejected.map(({ key }) => key);
  if (told === undefined || keys.length === 0) return [];
  if (keys.length < open.changes.size) return [{ kind: "retract", open, keys }];
  const outcome: Outcome = { ...told, state: "closed", seq: open.seq, head: open.head };
  return [
    { kind: "record", outcome },
    { kind: "delete", id: open.id, head: open.head },
  ];
}

function planGone(facts: ReconcileFacts, gone: OpenProposal): ReconcileAction[] {
  const { index, outcomes } = facts;
  const told = outcomes.get(gone.id);
  const isTold = told !== undefined && told.state !== "open";
  if (isTold || index.ordinal(gone.head) !== undefined || isEnded(facts, gone)) return [];
  const merged = findUntoldMerge(facts, gone);
  if (merged !== null) return [{ kind: "record", outcome: merged }];
  if (facts.verdicts === null) return [{ kind: "wait", id: gone.id }];
  const isMerged = facts.verdicts.get(gone.id)?.state === "merged";
  return [{ kind: "record", outcome: isMerged ? toMerged(facts, gone) : toClosed(facts, gone, told) }];
}

/**
 * Somebody closed its pull request, or deleted the branch: with the reviewer's last word where there is one. Keys that were
 * rejected before keep their reason.
 */
function toClosed({ index, now, verdicts }: ReconcileFacts, gone: OpenProposal, told: Outcome | undefined): Outcome {
  const standing = judgeProposal(index, gone);
  const stateOf = (key: MemoryKey) => (standing.get(key) === "stood" ? "merged" : "rejected");
  const closed = toOutcome(gone, { state: "closed", now, stateOf });
  const before = (told?.changes ?? []).filter(({ key }) => !standing.has(key));
  const reason = verdicts?.get(gone.id)?.reason ?? told?.reason ?? null;
  return { ...closed, reason, changes: [...closed.changes, ...before] };
}

interface Ending {
  readonly state: "merged" | "closed";
  readonly now: Date;
  readonly stateOf: (key: MemoryKey) => OutcomeChange["state"];
}

/** What is recorded of a proposal that has ended, from the branch as it was last seen. */
export function toOutcome(proposal: OpenProposal, { state, now, stateOf }: Ending): Outcome {
  const { id, project, person, title, seq, head, createdAt, changes } = proposal;
  return {
    ...{ id, project, title, state, seq, head },
    person: person.id,
    by: toBy(proposal),
    reason: null,
    createdAt: createdAt.toISOString(),
    updatedAt: now.toISOString(),
    changes: [...changes].map(([key, change]) => ({ key, ...change, state: stateOf(key) })),
  };
}
