import type { ErrorCode } from "../../../shared/errors/codes.ts";
import { isTeamMemoryError, type TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { type Attempt, retryLostRace } from "../../state/retry-lost-race.ts";
import type { EngineContext } from "../engine-context.ts";
import { refreshWorld } from "./refresh-world.ts";

/**
 * Runs a write when its turn has come, on the world as it is known. A race that was lost is run again after a fresh look;
 * so is a refusal of ours, once: it may come from what another process has changed meanwhile. The remote's own is final.
 */
export async function writeInTurn<R>(
  context: EngineContext,
  what: string,
  attempt: () => Promise<Attempt<R>>,
): Promise<R> {
  if (context.together !== undefined) return context.together(what, attempt);
  let isFresh = false;
  const attemptOnceMore = async (): Promise<Attempt<R>> => {
    try {
      return await attempt();
    } catch (error) {
      if (isFresh || !isTeamMemoryError(error) || isOfTheRemote(error)) throw error;
      return { kind: "lost" };
    }
  };
  return context.inTurn(() =>
    retryLostRace(what, async () => {
      const outcome = await attemptOnceMore();
      if (outcome.kind === "done") return outcome;
      await refreshWorld(context);
      isFresh = true;
      return outcome;
    }),
  );
}

/** Said by the remote, or of it: asking again changes nothing. */
export function isOfTheRemote({ code }: TeamMemoryError): boolean {
  return OF_THE_REMOTE.has(code);
}

const OF_THE_REMOTE: ReadonlySet<ErrorCode> = new Set([
  "remote_refused",
  "remote_denied",
  "remote_host_key",
  "base_held",
]);
