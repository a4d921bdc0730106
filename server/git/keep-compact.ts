import type { FastifyBaseLogger } from "fastify";
import { LIMITS } from "../../shared/limits.ts";
import { type Compaction, compactWhenGrown } from "./compact.ts";
import { endSignalOf } from "./translate-git-error.ts";

/**
 * Compacts a repository whenever it has grown: now, then each hour, which is longer than a run may take. Gives what ends
 * it; a run under way is git's own and safe to leave.
 */
export function keepCompact(repository: Compaction, log: Pick<FastifyBaseLogger, "info" | "warn">): () => void {
  const compact = async () => {
    try {
      if (await compactWhenGrown(repository)) log.info("compacted the repository");
    } catch (err) {
      const signal = endSignalOf(err);
      if (signal !== null) log.info({ signal }, "compacting the repository was told to end");
      else log.warn({ err }, "could not compact the repository");
    }
  };
  void compact();
  const timer = setInterval(() => void compact(), LIMITS.compactionIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
