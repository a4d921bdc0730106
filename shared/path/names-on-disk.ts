import { lstatSync, renameSync, type Stats, unlinkSync } from "node:fs";
import { refuse } from "./check-team-path.ts";
import { codeOf } from "./disk-error.ts";

/** What lies at the path itself, a link not followed; null where nothing does. */
export function statName(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

/** As statName, where only a regular file will do. */
export function statFile(path: string, key: string): Stats | null {
  const stats = statName(path);
  if (stats && !stats.isFile()) refuse(key, stats.isSymbolicLink() ? "R-LINK" : "R-NOT-FILE");
  return stats;
}

/** @returns false where nothing was there; a folder or a link at `from` is refused and stays */
export function moveFile(from: string, to: string, key: string): boolean {
  return statFile(from, key) !== null && unlessMissing(() => renameSync(from, to));
}

/** Of a link it removes the link; a folder is an error and stays. */
export function removeName(path: string): boolean {
  return unlessMissing(() => unlinkSync(path));
}

function unlessMissing(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}
