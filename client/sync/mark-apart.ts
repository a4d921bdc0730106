import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { KeyFacts, LocalFact, PullStep } from "./plan-pull.ts";
import { type KeyMarks, without } from "./state/marks.ts";

/**
 * Notes where the text here was not made of the one that the open proposal holds: the team's put in its place, one that a
 * person chose, or one of unknown origin. What becomes of that proposal is then no base of what is edited here. Pure.
 */
export function markApart(steps: readonly PullStep[], facts: readonly KeyFacts[]): PullStep[] {
  const factsOf = new Map<MemoryKey, KeyFacts>(facts.map((one) => [one.key, one]));
  return steps.map((step) => ({ ...step, marks: toMarks(step, factsOf.get(step.key)) }));
}

function toMarks(step: PullStep, facts: KeyFacts | undefined): KeyMarks {
  const others = without(step.marks, "apart");
  return facts !== undefined && isApart(step, facts) ? { ...others, apart: true } : others;
}

function isApart(step: PullStep, { local, remote, proposed, marks }: KeyFacts): boolean {
  if (proposed === null || proposed.isMerged || proposed.blob === null) return false;
  if (step.kind === "place" && step.because !== "merged") return step.blob !== proposed.blob;
  const isOfSent = isFile(local, proposed.blob) || (step.kind === "place" && step.expected === null);
  if (isOfSent) return false;
  const isOther = step.kind === "keep" && (step.state === "unknown" || isFile(local, remote));
  return isOther || marks.apart === true;
}

function isFile(local: LocalFact, blob: string | null): boolean {
  return local.kind === "file" && local.blob === blob;
}
