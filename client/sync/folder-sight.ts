import { lstatSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import type { FileSight, FolderSight, Sight } from "./state/head.ts";

/**
 * Whether the team folder still holds the names that the last run left there, by a look at its folders alone. A disk gives
 * changes of one moment the same time: a folder that was changed just before it was looked at proves nothing.
 */
export function isUnchanged(teamDir: string, sight: Sight | null): boolean {
  if (sight === null || Math.abs(sight.bootedAtMs - bootedAtMs()) > BOOT_TOLERANCE_MS) return false;
  return sight.folders.every((folder) => isSameFolder(teamDir, folder, sight.seenAtMs)) && isSameIndex(teamDir, sight);
}

export function sightOf(teamDir: string, folders: readonly FolderSight[]): Sight {
  return { seenAtMs: Date.now(), bootedAtMs: bootedAtMs(), folders, index: lookAtIndex(teamDir) };
}

/** The same folders, as they are after we have written in them. */
export function lookAgain(teamDir: string, paths: Iterable<string>): FolderSight[] {
  return [...new Set(paths)].flatMap((path) => {
    const seen = lstatSync(join(teamDir, path), { throwIfNoEntry: false });
    return seen === undefined ? [] : [{ path, mtimeMs: seen.mtimeMs }];
  });
}

/**
 * After a restart of the machine files may be there whose content never reached the disk: they count as missing, and only
 * a look into them shows it. The clock may be corrected a little while the machine runs.
 */
function bootedAtMs(): number {
  return Math.round(Date.now() - uptime() * 1_000);
}

const BOOT_TOLERANCE_MS = 120_000;

function isSameFolder(teamDir: string, { path, mtimeMs }: FolderSight, seenAtMs: number): boolean {
  const seen = lstatSync(path === "" ? teamDir : join(teamDir, path), { throwIfNoEntry: false });
  return seen?.isDirectory() === true && seen.mtimeMs === mtimeMs && isSettled(mtimeMs, seenAtMs);
}

function isSameIndex(teamDir: string, { index, seenAtMs }: Sight): boolean {
  const seen = lookAtIndex(teamDir);
  if (seen === null || index === null) return seen === index;
  const isSame = seen.sizeBytes === index.sizeBytes && seen.mtimeMs === index.mtimeMs && seen.ino === index.ino;
  return isSame && isSettled(index.mtimeMs, seenAtMs);
}

function isSettled(mtimeMs: number, seenAtMs: number): boolean {
  return mtimeMs < seenAtMs - LIMITS.folderTimeGrainMs;
}

function lookAtIndex(teamDir: string): FileSight | null {
  const seen = lstatSync(join(teamDir, "MEMORY.md"), { throwIfNoEntry: false });
  return seen === undefined ? null : { sizeBytes: seen.size, mtimeMs: seen.mtimeMs, ino: seen.ino };
}
