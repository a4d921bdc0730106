import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { LocalFact } from "../folder/local-fact.ts";
import type { KeyMarks } from "../state/marks.ts";

/**
 * What of this machine's state belongs into the one open proposal: a pure, total function. A file that is missing is
 * never a removal; a text that waits for a person (a conflict, a rejection) is not sent, and what was sent of it before
 * stays as it is.
 */
export interface PushFacts {
  readonly key: MemoryKey;
  /** The canonical blob that was placed last; null: none. */
  readonly base: string | null;
  readonly local: LocalFact;
  /** The key is in the open proposal as it was last sent. */
  readonly isSent: boolean;
  readonly marks: KeyMarks;
  /** The person named it: `push KEY`. */
  readonly isNamed: boolean;
}

export type Hold = "conflict" | "rejected" | "refused" | "removed_by_team" | "unknown" | "unplaced";

export type PushStep =
  /** Want this text (`blob` null: the removal). */
  | { readonly kind: "send"; readonly key: MemoryKey; readonly blob: string | null }
  /** Keep what was last sent for it. */
  | { readonly kind: "resend"; readonly key: MemoryKey; readonly because: Hold | "missing" }
  /** Changed here, and not sent. */
  | { readonly kind: "hold"; readonly key: MemoryKey; readonly because: Hold }
  /** Nothing to say. */
  | { readonly kind: "none"; readonly key: MemoryKey };

export function planPush(keys: readonly PushFacts[]): PushStep[] {
  return keys.map(planKey);
}

function planKey(facts: PushFacts): PushStep {
  const { key, local, marks, isSent, isNamed } = facts;
  if (marks.unplaced !== undefined) return wait(facts, "unplaced");
  if (local.kind === "file") return planFile(facts, local.blob);
  if (local.kind === "absent" && marks.removal !== undefined) return planRemoval(facts, marks.removal.blob);
  if (isNamed && marks.conflict !== undefined) return wait(facts, "conflict");
  return isSent ? { kind: "resend", key, because: "missing" } : { kind: "none", key };
}

function planFile(facts: PushFacts, local: string): PushStep {
  const { key, base, marks, isNamed } = facts;
  const isChanged = local !== base;
  if (isNamed && isChanged) return { kind: "send", key, blob: local };
  if (marks.conflict !== undefined) return wait(facts, "conflict");
  if (!isChanged) return { kind: "none", key };
  if (marks.held?.blob === local) return wait(facts, marks.held.because);
  if (marks.rejected?.blob === local) return { kind: "hold", key, because: "rejected" };
  return { kind: "send", key, blob: local };
}

/** A memory that was never reviewed leaves the proposal, and that is all. */
function planRemoval({ key, marks, isNamed }: PushFacts, reviewed: string | null): PushStep {
  if (reviewed === null) return { kind: "none", key };
  if (marks.rejected?.blob === null && !isNamed) return { kind: "hold", key, because: "rejected" };
  return { kind: "send", key, blob: null };
}

function wait({ key, isSent }: PushFacts, because: Hold): PushStep {
  return isSent ? { kind: "resend", key, because } : { kind: "hold", key, because };
}
