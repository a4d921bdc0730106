/**
 * An engine that is opened until it can be: its remote may be down while the service starts, and others must not wait
 * for it. Until then it gives what kept it from being opened last.
 */
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Engine } from "./engine.ts";
import type { EngineLog } from "./engine-log.ts";

export interface LateEngine {
  /** Null: not yet. */
  current(): Engine | null;
  /** Why not yet; only for as long as there is none. */
  failure(): TeamMemoryError;
  stop(): Promise<void>;
}

interface LateOptions {
  readonly open: () => Promise<Engine>;
  readonly log: EngineLog;
  /** For the log. */
  readonly name: string;
}

/**
 * Waits for the first attempt, but not for long.
 * @throws TeamMemoryError config_invalid of that attempt: the next ones would say the same
 */
export async function openLate({ open, log, name }: LateOptions): Promise<LateEngine> {
  let engine: Engine | null = null;
  let failure = new TeamMemoryError("remote_unreachable", `Could not look at the remote ${name} yet`);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function tryOpen(): Promise<void> {
    try {
      engine = await open();
    } catch (error) {
      if (!isTeamMemoryError(error)) log.error({ err: error, remote: name }, "A remote could not be opened");
      failure = toFailure(name, error);
    }
    if (engine !== null && isStopped) await engine.stop();
    if (engine === null && !isStopped) timer = setTimeout(() => void retry(), LIMITS.remoteReopenIntervalMs).unref();
  }

  async function retry(): Promise<void> {
    await tryOpen();
    if (engine !== null) log.info({ remote: name }, "A remote is served again");
  }

  const first = tryOpen();
  await Promise.race([first, wait(LIMITS.remoteStartWaitMs)]);
  if (engine === null) {
    if (failure.code === "config_invalid") {
      clearTimeout(timer);
      throw failure;
    }
    log.error({ err: failure, remote: name }, "A remote is not served until it can be opened; the others are");
  }
  return {
    current: () => engine,
    failure: () => failure,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await engine?.stop();
    },
  };
}

/** A remote that this service knows nothing of yet may be reached later: its clients are told to try again. */
function toFailure(name: string, error: unknown): TeamMemoryError {
  if (!isTeamMemoryError(error)) return new TeamMemoryError("unavailable", `Could not open the remote ${name}`);
  return new TeamMemoryError(error.code, `${error.message} (remote ${name})`, { details: error.details, cause: error });
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** One that is open already. */
export function openedEngine(engine: Engine): LateEngine {
  const failure = () => new TeamMemoryError("unavailable", "Could not use a remote: it has been stopped");
  return { current: () => engine, failure, stop: () => engine.stop() };
}
