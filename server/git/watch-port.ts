import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { AnyPort, PublishOutcome, SharedPort } from "./port.ts";

export type PushResult = "ok" | "lost" | "refused" | "failed";

/** Told of what a repository is asked; for whoever counts. */
export interface GitWatcher {
  polled(result: "ok" | "failed"): void;
  /** One publication: a change of one or more references. */
  pushed(result: PushResult, tookMs: number): void;
  /** So many changes went in one push. */
  batched(changes: number): void;
}

/** The same port, watched. */
export function watchPort<P extends AnyPort>(port: P, watcher: GitWatcher): P {
  const { publishEach } = port;
  return {
    ...port,
    ...(publishEach && { publishEach: watchEach(publishEach, watcher) }),
    refresh: async () => {
      try {
        await port.refresh();
        watcher.polled("ok");
      } catch (error) {
        watcher.polled("failed");
        throw error;
      }
    },
    publish: async (updates): Promise<PublishOutcome> => {
      const start = performance.now();
      watcher.batched(1);
      try {
        const outcome = await port.publish(updates);
        watcher.pushed(outcome.kind === "published" ? "ok" : "lost", performance.now() - start);
        return outcome;
      } catch (error) {
        watcher.pushed(toResult(error), performance.now() - start);
        throw error;
      }
    },
  };
}

function watchEach(publishEach: SharedPort["publishEach"], watcher: GitWatcher): SharedPort["publishEach"] {
  return async (updates) => {
    const start = performance.now();
    const tell = (result: PushResult) => watcher.pushed(result, performance.now() - start);
    watcher.batched(updates.length);
    try {
      const outcomes = await publishEach(updates);
      for (const outcome of outcomes) {
        tell(isTeamMemoryError(outcome) ? toResult(outcome) : outcome.kind === "published" ? "ok" : "lost");
      }
      return outcomes;
    } catch (error) {
      for (const _ of updates) tell(toResult(error));
      throw error;
    }
  };
}

function toResult(error: unknown): PushResult {
  return isTeamMemoryError(error) && REFUSALS.has(error.code) ? "refused" : "failed";
}

const REFUSALS: ReadonlySet<string> = new Set(["remote_refused", "remote_denied", "remote_host_key", "base_held"]);
