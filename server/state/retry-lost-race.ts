import { setTimeout as sleep } from "node:timers/promises";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";

/** What one attempt at a compare-and-swap came to: a result, or another writer was first. */
export type Attempt<R> = { readonly kind: "done"; readonly result: R } | { readonly kind: "lost" };

/**
 * Runs `attempt` until it is not lost.
 * @throws TeamMemoryError lost_race after the last attempt
 */
export async function retryLostRace<R>(what: string, attempt: () => Promise<Attempt<R>>): Promise<R> {
  const outcome = await retryWhileLost(attempt);
  if (outcome.kind === "done") return outcome.result;
  throw toLostRace(what);
}

/** What the last attempt came to. With jittered back-off: everyone who lost the same race must not meet again. */
export async function retryWhileLost<R>(attempt: () => Promise<Attempt<R>>): Promise<Attempt<R>> {
  let outcome: Attempt<R> = { kind: "lost" };
  for (let tried = 0; outcome.kind === "lost" && tried < LIMITS.publishAttemptsMax; tried += 1) {
    if (tried > 0) await sleep(toBackoffMs(tried, Math.random()));
    outcome = await attempt();
  }
  return outcome;
}

export function toLostRace(what: string): TeamMemoryError {
  const times = LIMITS.publishAttemptsMax;
  return new TeamMemoryError("lost_race", `Could not write ${what}: others were first ${times} times`);
}

/** Between the least wait and a ceiling that doubles with each attempt. `random` is in [0, 1). */
export function toBackoffMs(tried: number, random: number): number {
  const ceiling = Math.min(LIMITS.publishBackoffMsMax, LIMITS.publishBackoffMsMin * 2 ** tried);
  return LIMITS.publishBackoffMsMin + random * (ceiling - LIMITS.publishBackoffMsMin);
}
