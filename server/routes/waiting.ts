import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { Engine } from "../sync/engine.ts";

interface Wait {
  readonly project: ProjectName;
  /** The tree that the caller holds. */
  readonly tree: string;
  readonly waitMs: number;
  /** Calls back when the caller hangs up. */
  readonly onGone: (leave: () => void) => void;
}

export interface Waiting {
  /**
   * Ends at a change, after the time, when the caller leaves and when the service stops.
   * @throws TeamMemoryError unavailable when too many wait already
   */
  wait(wait: Wait): Promise<void>;
  /** Everyone's wait is over: the service is stopping. */
  stop(): void;
}

export function openWaiting(engine: Engine): Waiting {
  const waiters = new Set<AbortController>();
  return {
    stop: () => {
      for (const waiter of waiters) waiter.abort();
    },
    wait: async ({ project, tree, waitMs, onGone }) => {
      if (waiters.size >= LIMITS.headWaitersMax)
        throw new TeamMemoryError("unavailable", `Could not wait for a change: ${waiters.size} callers do already`);
      const waiter = new AbortController();
      waiters.add(waiter);
      onGone(() => waiter.abort());
      try {
        await engine.waitForChange(project, tree, waitMs, waiter.signal);
      } catch (error) {
        if (!waiter.signal.aborted) throw error;
      } finally {
        waiters.delete(waiter);
      }
    },
  };
}
