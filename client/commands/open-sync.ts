import { LIMITS } from "../../shared/limits.ts";
import type { CommandOptions } from "../command.ts";
import type { Io } from "../io.ts";
import { locate } from "../memory/locate.ts";
import { processStartedAtMs } from "../process-clock.ts";
import { type SyncContext, toSyncContext } from "../sync/context.ts";
import { LOCK_CLEARED, type LockOptions } from "../sync/lock/lock.ts";
import type { PullOptions } from "../sync/pull/pull-options.ts";

/** Where a command works. @throws TeamMemoryError as locate, and `memory_off`, `no_project`, `not_joined` */
export function openSync({ cwd, env }: Pick<CommandOptions, "cwd" | "env">): SyncContext {
  return toSyncContext(locate({ cwd, env }));
}

/** For what a command does under one lock: a wait, and a dead holder, are told on standard error. */
export function toLockOptions(io: Pick<Io, "progress" | "err">): LockOptions {
  return {
    waitMs: LIMITS.lockWaitMs,
    onWait: () => io.progress("Waiting for another team-memory run"),
    onReplaced: () => io.err(LOCK_CLEARED),
  };
}

/** Asked for when the process began: of many that begin at once, the first to ask the service asks for all. */
export function toPullOptions(io: Pick<Io, "progress">): PullOptions {
  return { askedAtMs: processStartedAtMs(), lockWaitMs: LIMITS.lockWaitMs, progress: io.progress };
}
