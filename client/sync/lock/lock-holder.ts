/** Who holds a lock of ours, and whether they still do. */
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { LIMITS } from "../../../shared/limits.ts";
import { toAgeMs } from "../../../shared/to-age-ms.ts";
import { readSmallFile } from "../../memory/read-small-file.ts";
import { asNumber, asObject, asText, orNull } from "../json-shape.ts";

export interface LockHolder {
  readonly pid: number;
  /** Tells a process from a later one with the same id; null where the system does not say. */
  readonly startedAt: string | null;
  readonly host: string;
  /** The start of the system, and whose process ids these are; null where the system does not say. */
  readonly boot: string | null;
  readonly pids: string | null;
  readonly nonce: number;
}

/** Held for a few calls: one that is older was left by a kill between them. */
export const BRIEF_LOCK_STALE_MS = 10_000;

/** Null: gone by now, or not ours to understand. */
export function readHolder(path: string): LockHolder | null {
  try {
    const { pid, startedAt, host, boot, pids, nonce } = asObject(
      JSON.parse(readSmallFile(path, LOCK_SIZE_BYTES_MAX) ?? ""),
    );
    return {
      pid: asNumber(pid),
      startedAt: orNull(startedAt, asShortText),
      host: asShortText(host),
      boot: orNull(boot ?? null, asShortText),
      pids: orNull(pids ?? null, asShortText),
      nonce: asNumber(nonce),
    };
  } catch {
    return null;
  }
}

const LOCK_SIZE_BYTES_MAX = 4_096;

function asShortText(value: unknown): string {
  return asText(value, 300);
}

export function isStale(path: string, holder: LockHolder | null): boolean {
  const age = ageMs(path);
  if (age > LIMITS.lockStaleMs) return true;
  if (holder === null) return age > BRIEF_LOCK_STALE_MS;
  return isWithinSight(holder) && !isAlive(holder);
}

/**
 * A process on another machine that shares this disk, or in another container, cannot be looked at: its age alone counts.
 * The host's name decides only where the system says nothing better, or has been started anew since: networks rename hosts,
 * and each new container has a name of its own.
 */
function isWithinSight({ host, boot, pids }: LockHolder): boolean {
  if (boot !== null && boot === readBoot()) return pids === readPids();
  return host === hostname();
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
  const seen = lstatSync(path, { throwIfNoEntry: false });
  return seen === undefined ? 0 : toAgeMs(seen);
}

export function describeSelf(): LockHolder {
  const nonce = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const startedAt = readProcessStart(process.pid);
  return { pid: process.pid, startedAt, host: hostname(), boot: readBoot(), pids: readPids(), nonce };
}

function readBoot(): string | null {
  return onLinux(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}

function readPids(): string | null {
  return onLinux(() => readlinkSync("/proc/self/ns/pid"));
}

/** The process's start in ticks since boot, the 22nd field; the second may hold spaces and ends in a bracket. */
function readProcessStart(pid: number): string | null {
  return onLinux(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  });
}

function onLinux(read: () => string | null): string | null {
  if (process.platform !== "linux") return null;
  try {
    return read();
  } catch {
    return null;
  }
}
