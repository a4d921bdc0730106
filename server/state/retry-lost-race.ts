import { setTimeout as sleep } from "node:timers/promises";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";

/** What one attempt at a compare-and-swap came to: a result, or another writer was first. */
export type Attempt<R> = { readonly kind: "done"; readonly result: R } | { readonly kind: "lost" };

/**
 * Runs `attempt` until it is not lost, with jittered back-off: everyone who lost the same race must not meet again.
 * @throws TeamMemoryError lost_race after the last attempt
 */
export async function retryLostRace<R>(what: string, attempt: () => Promise<Attempt<R>>): Promise<R> {
  for (let tried = 0; tried < LIMITS.publishAttemptsMax; tried += 1) {
    if (tried > 0) await sleep(toBackoffMs(tried, Math.random()));
    const outcome = await attempt();
    if (outcome.kind === "done") return outcome.result;
  }
  throw new TeamMemoryError(
    "lost_race",
    `Could not write ${what}: others were first ${LIMITS.publishAttemptsMax} times`,
  );
}

/** Between the least wait and a ceiling that doubles with each attempt. `random` is in [0, 1). */
export function toBackoffMs(tried: number, random: number): number {
  const ceiling = Math.min(LIMITS.publishBackoffMsMax, LIMITS.publishBackoffMsMin * 2 ** tried);
  return LIMITS.publishBackoffMsMin + random * (ceiling - LIMITS.publishBackoffMsMin);
}
