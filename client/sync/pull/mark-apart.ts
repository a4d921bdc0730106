import type { LocalFact } from "../folder/local-fact.ts";
import { type KeyMarks, without } from "../state/marks.ts";
import type { OpenProposal } from "../state/outbox.ts";
import type { KeyFacts, PullStep } from "./plan-pull.ts";

/**
 * Notes where the text here was not made of what was sent of it: the team's put in its place, one that a person chose, or
 * one of unknown origin. What becomes of the open proposal, or of a set before its last one, is then no base of what is
 * edited here. Pure.
 */
export function markApart(
  steps: readonly PullStep[],
  facts: readonly KeyFacts[],
  open: OpenProposal | null,
): readonly PullStep[] {
  const factsOf = new Map<string, KeyFacts>(facts.map((one) => [one.key, one]));
  const sent = open === null ? new Map<string, Sent>() : toSent(open);
  return steps.map((step) => ({ ...step, marks: toMarks(step, factsOf.get(step.key), sent.get(step.key)) }));
}

interface Sent {
  readonly blob: string | null;
  /** No set that the service may have holds another text: an outcome can only be about this one. */
  readonly isSure: boolean;
}

/** What was last sent of each key that the proposal holds, or has held. */
function toSent({ changes, earlier }: OpenProposal): ReadonlyMap<string, Sent> {
  const sent = new Map<string, Sent>();
  for (const { key, blob } of [changes, ...earlier.map((set) => set.changes)].flat()) {
    const later = sent.get(key);
    if (later === undefined) sent.set(key, { blob, isSure: true });
    else if (later.blob !== blob) sent.set(key, { ...later, isSure: false });
  }
  return sent;
}

function toMarks(step: PullStep, facts: KeyFacts | undefined, sent: Sent | undefined): KeyMarks {
  const others = without(step.marks, "apart");
  const isMarked = facts !== undefined && sent !== undefined && isApart(step, facts, sent);
  return isMarked ? { ...others, apart: true } : others;
}

function isApart(step: PullStep, { local, remote, marks }: KeyFacts, { blob, isSure }: Sent): boolean {
  if (step.kind === "place" && step.because !== "merged") return step.blob !== blob;
  const isOfSent = (isSure && isFile(local, blob)) || (step.kind === "place" && step.expected === null);
  if (isOfSent) return false;
  const isOther = step.kind === "keep" && (step.state === "unknown" || isFile(local, remote));
  return isOther || marks.apart === true;
}

function isFile(local: LocalFact, blob: string | null): boolean {
  return local.kind === "file" && local.blob === blob;
}
