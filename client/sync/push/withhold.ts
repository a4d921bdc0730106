import type { Marks } from "../state/marks.ts";
import type { PushStep } from "./plan-push.ts";

/** What the service would not take, in this run and before it. */
export interface Refusals {
  readonly marks: Marks;
  /** The open proposal. */
  readonly proposal: string | null;
  /** How often a key was refused in this run. */
  readonly counts: ReadonlyMap<string, number>;
  /** What a person has asked for by name is tried again. */
  readonly named: ReadonlySet<string>;
  readonly isSent: (key: string) => boolean;
}

/**
 * A text that was refused waits, and what was sent of it before stays; unless that, too, is what the service will not
 * take. Pure. Without it one key would keep all others from being proposed, and every session would ask again.
 */
export function withhold(step: PushStep, refusals: Refusals): PushStep {
  if (step.kind !== "send" && step.kind !== "resend") return step;
  const { key } = step;
  const count = refusals.counts.get(key) ?? Number(isKnown(step, refusals));
  if (count === 0) return step;
  const isResent = step.kind === "send" && count === 1 && refusals.isSent(key);
  return { kind: isResent ? "resend" : "hold", key, because: isResent ? "conflict" : "refused" };
}

function isKnown(step: PushStep, { marks, proposal, named }: Refusals): boolean {
  const refused = marks.get(step.key)?.refused;
  if (step.kind !== "send" || refused?.blob !== step.blob || named.has(step.key)) return false;
  return refused.proposal === null || refused.proposal === proposal;
}
