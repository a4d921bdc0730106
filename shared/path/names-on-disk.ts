import { closeSync, constants, fsyncSync, lstatSync, openSync, renameSync, type Stats, unlinkSync } from "node:fs";
import { refuse } from "./check-team-path.ts";
import { codeOf } from "./disk-error.ts";

/** What lies at the path itself, a link not followed; null where nothing does. */
export function statName(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

export function assertFile(stats: Stats, key: string): void {
  if (!stats.isFile()) refuse(key, stats.isSymbolicLink() ? "R-LINK" : "R-NOT-FILE");
}

/** @returns false where nothing was there; a folder or a link at `from` is refused and stays */
export function moveFile(from: string, to: string, key: string): boolean {
  const stats = statName(from);
  if (stats === null) return false;
  assertFile(stats, key);
  return unlessMissing(() => renameSync(from, to)) !== null;
}

export interface MoveOut {
  readonly from: string;
  readonly to: string;
  readonly key: string;
  /** What it holds by now is on the disk before `to` is it. */
  readonly isDurable: boolean;
}

/** Another file system; or, on Windows, a file that somebody has open. */
const STAYS: readonly string[] = ["EXDEV", "EPERM", "EACCES", "EBUSY"];

/** @returns false where it stays, or nothing was there; a folder or a link at `from` is refused and stays */
export function moveOut({ from, to, key, isDurable }: MoveOut): boolean {
  const stats = statName(from);
  if (stats === null) return false;
  assertFile(stats, key);
  try {
    if (isDurable) flush(from);
    renameSync(from, to);
    return true;
  } catch (error) {
    if (STAYS.includes(codeOf(error))) return false;
    throw error;
  }
}

function flush(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Of a link it removes the link; a folder is an error and stays. */
export function removeName(path: string): boolean {
  return unlessMissing(() => unlinkSync(path)) !== null;
}

/** What `act` gives, or null where the name that it works on is not there. */
export function unlessMissing<Result>(act: () => Result): Result | null {
  try {
    return act();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}
