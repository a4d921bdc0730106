/**
 * What a PUT of a wanted set comes to: a pure, total function of the set, the base, its history and the branch as it is.
 * Refusals are thrown; anything else is a plan for apply-proposal.
 */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { GitId } from "../../git/port.ts";
import { assertNoFailures, findSetFailures } from "./check-set.ts";
import { type ConflictingKey, toConflict } from "./conflict.ts";
import { hasMovedSince } from "./judge-proposal.ts";
import { mergeWithBranch } from "./merge-with-branch.ts";
import type { WantedSet } from "./parse-request.ts";
import { type BranchSteps, beginAt, planBranch } from "./plan-branch.ts";
import type { KeyChange, OpenProposal } from "./proposal.ts";
import type { ProposalFacts } from "./proposal-facts.ts";
import type { SentSet } from "./sent.ts";
import { settleChanges } from "./settle-changes.ts";

export type ProposalPlan =
  /** It is there already. */
  | { readonly kind: "same" }
  /** Nothing is left to propose. */
  | { readonly kind: "finish"; readonly state: "withdrawn" | "merged" | "closed" }
  | CommitPlan;

export interface CommitPlan {
  readonly kind: "commit";
  readonly steps: BranchSteps;
  /** What the branch proposes then. */
  readonly net: ReadonlyMap<MemoryKey, KeyChange>;
  readonly sent: SentSet;
}

/** @throws TeamMemoryError sequence_conflict, unprocessable_proposal, conflict */
export function planProposal(facts: ProposalFacts): ProposalPlan {
  const { wanted, open } = facts;
  if (open !== null && isSame(wanted, open)) return { kind: "same" };
  const settled = settleChanges(facts);
  assertNoFailures([...wanted.failures, ...settled.failures, ...findSetFailures(facts.snapshot, wanted)]);
  if (settled.conflicts.length > 0) throw toConflict(settled.conflicts);
  const merged = open === null ? { net: settled.changes, sent: new Map() } : mergeWithBranch(open, settled.changes);
  // A branch with a person's commits is never deleted by a client, even where nothing of it is left to merge.
  if (merged.net.size > 0 || open?.hasHumanCommits === true) {
    return { kind: "commit", steps: planSteps(facts, merged.net), ...merged };
  }
  if (wanted.changes.length === 0) return { kind: "finish", state: "withdrawn" };
  return { kind: "finish", state: settled.rejected > 0 ? "closed" : "merged" };
}

/** @throws TeamMemoryError sequence_conflict */
function isSame(wanted: WantedSet, open: OpenProposal): boolean {
  if (wanted.seq > open.seq) return false;
  if (wanted.seq === open.seq && wanted.failures.length === 0 && wanted.content === open.content) return true;
  const message = `Could not take set ${wanted.seq} of proposal ${open.id}: it stands at set ${open.seq}`;
  throw new TeamMemoryError("sequence_conflict", message, { details: { seq: open.seq } });
}

/**
 * On the head while the base has left these keys alone, so that reviewers see what was added; anew on the base where it
 * has not, and only while every commit of the branch is the service's.
 */
function planSteps(facts: ProposalFacts, net: ReadonlyMap<MemoryKey, KeyChange>): BranchSteps {
  const { open, base, unfit } = facts;
  if (open === null) return [beginAt(base, net)];
  const moved = [...net].filter(([key, change]) => !buildsOnFork(facts, open, key, change));
  if (moved.length === 0) return planBranch(open, net, unfit);
  const blocked = open.hasHumanCommits
    ? moved
    : [...net].filter(([key, { base: from }]) => from !== blobNow(facts, key));
  if (blocked.length > 0) throw toConflict(blocked.map(([key, change]) => toConflicting(facts, key, change)));
  return [beginAt(base, net)];
}

/** Whether the commit that the branch builds on has the blob that this change replaces. */
function buildsOnFork(facts: ProposalFacts, open: OpenProposal, key: MemoryKey, change: KeyChange): boolean {
  const known = open.changes.get(key);
  if (known !== undefined) return known.base === change.base;
  return !hasMovedSince(facts.index, { project: open.project, key }, open.fork);
}

function blobNow({ snapshot }: ProposalFacts, key: MemoryKey): GitId | null {
  return snapshot.blobs.get(key) ?? null;
}

function toConflicting(facts: ProposalFacts, key: MemoryKey, { base, blob }: KeyChange): ConflictingKey {
  return { key, baseBlob: base, current: blobNow(facts, key), wanted: blob };
}
