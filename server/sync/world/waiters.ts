import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";

export interface Wait {
  /** The tree that the caller holds. */
  readonly tree: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Callers that want to hear of a project's next tree. */
export interface Waiters {
  /**
   * Ends when the project has another tree, after the time, or when the signal says so.
   * @throws TeamMemoryError unavailable when too many wait already
   */
  wait(project: ProjectName, wait: Wait): Promise<void>;
  projects(): Iterable<ProjectName>;
  /** The project stands at this tree now. */
  tell(project: ProjectName, tree: string): void;
}

interface Waiter {
  readonly tree: string;
  readonly end: () => void;
}

export function buildWaiters(): Waiters {
  const waiters = new Map<ProjectName, Set<Waiter>>();
  let count = 0;

  const remove = (project: ProjectName, waiter: Waiter) => {
    const all = waiters.get(project);
    all?.delete(waiter);
    if (all?.size === 0) waiters.delete(project);
    count -= 1;
  };

  return {
    projects: () => [...waiters.keys()],
    tell: (project, tree) => {
      for (const waiter of waiters.get(project) ?? []) if (waiter.tree !== tree) waiter.end();
    },
    wait: async (project, { tree, timeoutMs, signal }) => {
      if (signal.aborted) return;
      if (count >= LIMITS.headWaitersMax) {
        throw new TeamMemoryError("unavailable", `Could not wait for a change: ${count} callers do already`);
      }
      count += 1;
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          remove(project, waiter);
          resolve();
        };
        const waiter = { tree, end };
        const timer = setTimeout(end, Math.min(timeoutMs, LIMITS.headWaitMsMax));
        signal.addEventListener("abort", end, { once: true });
        waiters.set(project, (waiters.get(project) ?? new Set()).add(waiter));
      });
    },
  };
}
