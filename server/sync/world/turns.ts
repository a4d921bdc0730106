import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";

/** Runs works one after the other, in the order in which they came; a failed one does not hold up the next. */
export function buildTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (work) => {
    if (waiting >= LIMITS.writesWaitingMax) {
      throw new TeamMemoryError("unavailable", `Could not take another write: ${waiting} are waiting`);
    }
    waiting += 1;
    const turn = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = turn.catch(() => undefined);
    return turn;
  };
}
