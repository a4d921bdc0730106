/** What became of a proposal that is not open any more: from the base's history, and from what was recorded. */
import { decodeTime } from "ulid";
import type { HistoryIndex } from "../history/history-index.ts";
import type { MergedKey, MergeRecord } from "../history/history-record.ts";
import type { Outcome, OutcomeChange } from "./outcome.ts";
import type { Outcomes } from "./outcomes.ts";

export interface FinishedFacts {
  readonly index: HistoryIndex;
  readonly outcomes: Outcomes;
}

/**
 * Null for one that is not known, or only in part. What the base says counts, unless a later set than the one that was
 * merged was closed or withdrawn.
 */
export function findFinished({ index, outcomes }: FinishedFacts, id: string): Outcome | null {
  const recorded = outcomes.get(id);
  const merges = index.merges(id);
  const merge = merges.findLast(({ part }) => !part);
  const isTold = recorded !== undefined && recorded.state !== "open";
  if (merge === undefined) return isTold ? recorded : null;
  if (isTold && (recorded.state === "merged" || recorded.seq > merge.seq)) return recorded;
  return toMerged(id, merge, merges);
}

function toMerged(id: string, merge: MergeRecord, merges: readonly MergeRecord[]): Outcome {
  const keys = new Map<string, OutcomeChange>();
  for (const { keys: taken } of merges) for (const key of taken) keys.set(key.key, toChange(key, "merged"));
  for (const key of merge.leftOut) keys.set(key.key, toChange(key, "rejected"));
  const { project, person, title, seq, head, at } = merge;
  const by = [...new Set(merges.map((each) => each.by))].join(", ");
  return {
    id,
    ...{ project, person, by, title, seq, head },
    state: "merged",
    reason: null,
    createdAt: new Date(decodeTime(id)).toISOString(),
    updatedAt: new Date(at).toISOString(),
    changes: [...keys.values()],
  };
}

function toChange({ key, before, after }: MergedKey, state: OutcomeChange["state"]): OutcomeChange {
  return { key, base: before, blob: after, state };
}
