/** Who holds a lock of ours, and whether they still do. */
import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { LIMITS } from "../../../shared/limits.ts";
import { asNumber, asObject, asText, orNull } from "../json-shape.ts";

export interface LockHolder {
  readonly pid: number;
  /** Tells a process from a later one with the same id; null where the system does not say. */
  readonly startedAt: string | null;
  readonly host: string;
  readonly nonce: number;
}

/** Held for a few calls: one that is older was left by a kill between them. */
export const BRIEF_LOCK_STALE_MS = 10_000;

/** Null: gone by now, or not ours to understand. */
export function readHolder(path: string): LockHolder | null {
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
export function isStale(path: string, holder: LockHolder | null): boolean {
  const age = ageMs(path);
  if (age > LIMITS.lockStaleMs) return true;
  if (holder === null) return age > BRIEF_LOCK_STALE_MS;
  return holder.host === hostname() && !isAlive(holder);
}

function isAlive({ pid, startedAt }: LockHolder): boolean {
  if (!isRunning(pid)) return false;
  const startsNow = readProcessStart(pid);
  return startedAt === null || startsNow === null || startedAt === startsNow;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

export function ageMs(path: string): number {
  const seen = statSync(path, { throwIfNoEntry: false });
  return seen === undefined ? 0 : Date.now() - seen.mtimeMs;
}

export function describeSelf(): LockHolder {
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
