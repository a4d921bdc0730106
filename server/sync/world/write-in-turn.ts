import type { ErrorCode } from "../../../shared/errors/codes.ts";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
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
  let isFresh = false;
  const attemptOnceMore = async (): Promise<Attempt<R>> => {
    try {
      return await attempt();
    } catch (error) {
      if (isFresh || !isTeamMemoryError(error) || OF_THE_REMOTE.has(error.code)) throw error;
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

const OF_THE_REMOTE: ReadonlySet<ErrorCode> = new Set(["remote_refused", "remote_denied", "base_held"]);
