import { lstatSync, renameSync, type Stats, unlinkSync } from "node:fs";
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
