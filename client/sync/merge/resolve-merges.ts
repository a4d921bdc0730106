import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import type { MergeStep, PlannedStep, PullStep } from "../pull/plan-pull.ts";
import { type KeyMarks, without } from "../state/marks.ts";

/** What three texts make: one, or the conflict; its base is kept for whoever decides it. Null: both are new. */
export type Merged =
  | { readonly kind: "merged"; readonly text: string }
  | { readonly kind: "conflict"; readonly base: string | null };

/** A plan with every merge decided: pure, given `merge`. */
export interface Resolved {
  readonly steps: readonly PullStep[];
  /** Texts that were made here, by key. */
  readonly given: ReadonlyMap<string, string>;
  /** What the two sides of a conflict started from, by key. */
  readonly bases: ReadonlyMap<string, string>;
}

export function resolveMerges(planned: readonly PlannedStep[], merge: (step: MergeStep) => Merged): Resolved {
  const given = new Map<string, string>();
  const bases = new Map<string, string>();
  const steps = planned.map((step) => {
    if (step.kind !== "merge") return step;
    const merged = merge(step);
    if (merged.kind === "merged") given.set(step.key, merged.text);
    else if (merged.base !== null) bases.set(step.key, merged.base);
    return merged.kind === "merged" ? toMerged(step, blobIdOf(merged.text)) : toConflict(step);
  });
  return { steps, given, bases };
}

/** The reviewed text stands in place, mine waits for a person: no text here ever has markers in it. */
function toConflict(step: MergeStep): PullStep {
  return { ...toPlacing(step), because: "conflict", parks: step.source };
}

function toMerged(step: MergeStep, blob: string): PullStep {
  const { key, mine, theirs, marks, source } = step;
  if (blob === theirs) return { ...toPlacing(step), because: "changed" };
  if (blob === mine && source === "local") return { kind: "keep", key, state: "changed", marks };
  if (blob === mine) return { ...toPlacing(step), blob, text: "proposed", because: "restored", marks };
  return { ...toPlacing(step), blob, text: "given", because: "merged", marks: stillRejected(marks, mine, blob) };
}

/** Merging is no edit of the person's: what a reviewer said no to is not sent again for it. */
function stillRejected(marks: KeyMarks, mine: string, blob: string): KeyMarks {
  return marks.rejected?.blob === mine ? { ...marks, rejected: { ...marks.rejected, blob } } : marks;
}

function toPlacing({ key, mine, theirs, source, marks }: MergeStep) {
  const expected = source === "local" ? mine : null;
  const settled = without(marks, "rejected");
  return { kind: "place", key, blob: theirs, text: "remote", expected, parks: null, marks: settled } as const;
}
