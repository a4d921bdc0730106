import { readFileSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { toDiskError } from "../../shared/path/disk-error.ts";
import { linkIn } from "../../shared/path/link-in.ts";
import { sinceStartMs } from "../process-clock.ts";
import { toSeconds } from "../to-seconds.ts";
import { asNumber, asObject, asText, orNull } from "./json-shape.ts";
import { makePrivateFolder } from "./state/durable-file.ts";
import { statePath } from "./state/layout.ts";

/**
 * One run at a time in one memory directory. The lock file is put in place whole, by a link, so that it is never seen
 * half written. A holder that died, whose process id another process has by now, or that has not stirred for an hour, is
 * replaced; whoever replaces it holds a second, short-lived lock, so that two of them do not replace each other.
 */
export interface LockHolder {
  readonly pid: number;
  /** Tells a process from a later one with the same id; null where the system does not say. */
  readonly startedAt: string | null;
  readonly host: string;
  readonly nonce: number;
}

export interface LockOptions {
  readonly waitMs: number;
  /** Somebody else holds it: told once. */
  readonly onWait?: () => void;
  /** A dead holder was replaced. */
  readonly onReplaced?: (holder: LockHolder | null) => void;
}

/** For whoever is told that a dead holder was replaced: its run may have left something half done, which this one heals. */
export const LOCK_CLEARED = "Cleared the lock of a run that had died";

/** @throws TeamMemoryError `busy` past the wait, `disk`, `disk_full`, and whatever `work` throws */
export async function withLock<T>(stateFolder: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  makePrivateFolder(stateFolder);
  const path = statePath(stateFolder, "lock");
  const self = describeSelf();
  await acquire(path, self, options);
  const beat = setInterval(() => stir(path), LIMITS.lockHeartbeatMs);
  beat.unref();
  try {
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
    if (ageMs(guard) > GUARD_STALE_MS) rmSync(guard, { force: true });
    return false;
  }
  try {
    if (!isStale(path, readHolder(path))) return false;
    rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Held for a few calls: one that is older was left by a kill between them. */
const GUARD_STALE_MS = 10_000;

function create(path: string, self: LockHolder): boolean {
  const temp = `${path}.${self.pid}-${self.nonce}`;
  try {
    writeFileSync(temp, JSON.stringify(self), { flag: "wx", mode: 0o600 });
    return linkIn(temp, path);
  } catch (error) {
    throw toDiskError(error, "take the lock", path);
  } finally {
    rmSync(temp, { force: true });
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

/** Null: gone by now, or not ours to understand. */
function readHolder(path: string): LockHolder | null {
  try {
    const holder = asObject(JSON.parse(readFileSync(path, "utf8")));
    return {
      pid: asNumber(holder["pid"]),
      startedAt: orNull(holder["startedAt"], (text) => asText(text, 40)),
      host: asText(holder["host"], 300),
      nonce: asNumber(holder["nonce"]),
    };
  } catch {
    return null;
  }
}

/** A process on another machine that shares this disk cannot be looked at: its age alone counts. */
function isStale(path: string, holder: LockHolder | null): boolean {
  const age = ageMs(path);
  if (age > LIMITS.lockStaleMs) return true;
  if (holder === null) return age > GUARD_STALE_MS;
  return holder.host === hostname() && !isAlive(holder);
}

function isAlive({ pid, startedAt }: LockHolder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const startsNow = readProcessStart(pid);
  return startedAt === null || startsNow === null || startedAt === startsNow;
}

function ageMs(path: string): number {
  const seen = statSync(path, { throwIfNoEntry: false });
  return seen === undefined ? 0 : Date.now() - seen.mtimeMs;
}

function describeSelf(): LockHolder {
  const nonce = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  return { pid: process.pid, startedAt: readProcessStart(process.pid), host: hostname(), nonce };
}

/** Linux: the process's start in ticks since boot, the 22nd field; the second may hold spaces and ends in a bracket. */
function readProcessStart(pid: number): string | null {
  if (process.platform !== "linux") return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
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
