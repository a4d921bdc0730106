import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { GitPort, PublishOutcome } from "./port.ts";

/** Told of what a repository is asked; for whoever counts. */
export interface GitWatcher {
  polled(result: "ok" | "failed"): void;
  /** One publication: a change of one or more references. */
  pushed(result: "ok" | "lost" | "refused" | "failed", tookMs: number): void;
}

/** The same port, watched. */
export function watchPort<P extends GitPort>(port: P, watcher: GitWatcher): P {
  return {
    ...port,
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
      try {
        const outcome = await port.publish(updates);
        watcher.pushed(outcome.kind === "published" ? "ok" : "lost", performance.now() - start);
        return outcome;
      } catch (error) {
        const isRefusal = isTeamMemoryError(error) && REFUSALS.has(error.code);
        watcher.pushed(isRefusal ? "refused" : "failed", performance.now() - start);
        throw error;
      }
    },
  };
}

const REFUSALS: ReadonlySet<string> = new Set(["remote_refused", "remote_denied", "base_held"]);
