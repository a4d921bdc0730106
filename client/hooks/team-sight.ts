import { type BigIntStats, type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import { isOwnName } from "../../shared/path/own-name.ts";
import { hashName } from "../sync/folder/hash-name.ts";

/**
 * What the files under team/ look like from outside, in one line: names, sizes, times, inodes. Two lines that are equal
 * mean that nobody has written there in between; no file is opened for it.
 *
 * @returns null where that cannot be told: a file is so young that the disk may give the next change the same time, or
 *   there are more files than a project may hold
 */
export function takeSight(teamDir: string, nowMs: number): string | null {
  const sight = { count: 0, sum: 0, newestMs: 0 };
  look(teamDir, "", sight);
  const isYoung = sight.newestMs > nowMs - LIMITS.folderTimeGrainMs;
  return isYoung || sight.count > LIMITS.localFilesMax ? null : `${sight.count} ${sight.sum}`;
}

interface Sight {
  count: number;
  sum: number;
  newestMs: number;
}

/** Links are looked at and not followed; the index is ours, and left out. */
function look(teamDir: string, folder: string, sight: Sight): void {
  for (const entry of readEntries(join(teamDir, folder))) {
    const below = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (isOwnName(entry.name) || below === "MEMORY.md") continue;
    sight.count += 1;
    if (sight.count > LIMITS.localFilesMax) return;
    if (!entry.isDirectory()) count(sight, below, lstatSync(join(teamDir, below), BIG));
    else if (below.split("/").length < LIMITS.treeDepthMax) look(teamDir, below, sight);
  }
}

const BIG = { bigint: true, throwIfNoEntry: false } as const;

function count(sight: Sight, path: string, stat: BigIntStats | undefined): void {
  if (stat === undefined) return;
  const { size, mtimeNs, ctimeNs, ino, mtimeMs, ctimeMs } = stat;
  sight.sum = (sight.sum + hashName(`${path}\0${size} ${mtimeNs} ${ctimeNs} ${ino}`)) % Number.MAX_SAFE_INTEGER;
  sight.newestMs = Math.max(sight.newestMs, Number(mtimeMs), Number(ctimeMs));
}

function readEntries(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
