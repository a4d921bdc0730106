import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";

export interface Turns {
  <T>(work: () => Promise<T>): Promise<T>;
  /** How many wait, or have their turn. */
  waiting(): number;
}

/** Runs works one after the other, in the order in which they came; a failed one does not hold up the next. */
export function buildTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
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
  return Object.assign(inTurn, { waiting: () => waiting });
}
