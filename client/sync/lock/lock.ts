import { existsSync, rmSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { toDiskError } from "../../../shared/path/disk-error.ts";
import { linkIn } from "../../../shared/path/link-in.ts";
import { sinceStartMs } from "../../process-clock.ts";
import { toSeconds } from "../../to-seconds.ts";
import { clearUnfinished } from "../pull/clear-unfinished.ts";
import { makePrivateFolder } from "../state/durable-file.ts";
import { statePath } from "../state/layout.ts";
import { ageMs, BRIEF_LOCK_STALE_MS, describeSelf, isStale, type LockHolder, readHolder } from "./lock-holder.ts";

export interface LockOptions {
  readonly waitMs: number;
  /** Somebody else holds it: told once. */
  readonly onWait?: () => void;
  /** A dead holder was replaced. */
  readonly onReplaced?: (holder: LockHolder | null) => void;
}

/** For whoever is told that a dead holder was replaced: its run may have left something half done, which this one heals. */
export const LOCK_CLEARED = "Cleared the lock of a run that had died";

/**
 * One run at a time in one memory directory. The lock file is put in place whole, by a link, so that it is never seen
 * half written. A holder that died, whose process id another process has by now, or that has not stirred for an hour, is
 * replaced; whoever replaces it holds a second, short-lived lock, so that two of them do not replace each other.
 *
 * @throws TeamMemoryError `busy` past the wait, `disk`, `disk_full`, and whatever `work` throws
 */
export async function withLock<T>(stateFolder: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  makePrivateFolder(stateFolder);
  const path = statePath(stateFolder, "lock");
  const self = describeSelf();
  await acquire(path, self, options);
  const beat = setInterval(() => stir(path), LIMITS.lockHeartbeatMs);
  beat.unref();
  try {
    clearUnfinished(stateFolder);
    return await work();
  } finally {
    clearInterval(beat);
    release(path, self);
  }
}

async function acquire(path: string, self: LockHolder, options: LockOptions): Promise<void> {
  const deadline = sinceStartMs() + options.waitMs;
  for (let pauseMs = 5; !tryAcquire(path, self, options); pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    if (pauseMs === 5) options.onWait?.();
    if (sinceStartMs() >= deadline) throw busy(path, options.waitMs);
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, Math.max(1, deadline - sinceStartMs()))));
  }
}

const PAUSE_MS_MAX = 40;

function tryAcquire(path: string, self: LockHolder, options: LockOptions): boolean {
  if (create(path, self)) return true;
  const holder = readHolder(path);
  if (!isStale(path, holder)) return false;
  if (!removeStale(path, self)) return false;
  options.onReplaced?.(holder);
  return create(path, self);
}

/**
 * Under a second lock: a lock that is looked at twice and stale both times has nobody who could release it meanwhile.
 * False: somebody else replaces it, or has done so since it was first looked at.
 */
function removeStale(path: string, self: LockHolder): boolean {
  const guard = `${path}.replacing`;
  if (!create(guard, self)) {
    if (ageMs(guard) > BRIEF_LOCK_STALE_MS) remove(guard);
    return false;
  }
  try {
    if (!isStale(path, readHolder(path))) return false;
    remove(path);
    return true;
  } finally {
    remove(guard);
  }
}

/** A folder in a lock's place is nothing that we have made. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw toDiskError(error, "replace the lock", path);
  }
}

function create(path: string, self: LockHolder): boolean {
  const temp = `${path}.${self.pid}-${self.nonce}`;
  try {
    writeFileSync(temp, JSON.stringify(self), { flag: "wx", mode: 0o600 });
    return linkIn(temp, path);
  } catch (error) {
    throw toDiskError(error, "take the lock", path);
  } finally {
    // Mostly it is gone by now. Also to remove nothing Node loads a part of itself, for which a session's start would wait.
    if (existsSync(temp)) rmSync(temp, { force: true });
  }
}

function release(path: string, self: LockHolder): void {
  const holder = readHolder(path);
  if (holder?.pid === self.pid && holder.nonce === self.nonce) unlinkSync(path);
}

function stir(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Replaced after an hour's silence: what follows fails where it matters, on the state that moved.
  }
}

function busy(path: string, waitMs: number): TeamMemoryError {
  return new TeamMemoryError(
    "busy",
    `Another team-memory run still holds the lock after ${toSeconds(waitMs)}: ${path}`,
    {
      details: { holder: readHolder(path)?.pid ?? null },
    },
  );
}
