import { type Dirent, readdirSync, type Stats } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { LIMITS } from "../../../shared/limits.ts";
import { isOwnName } from "../../../shared/path/own-name.ts";
import type { FileSight, FolderSight, LocalSight, Sight } from "../state/head.ts";
import { hashName } from "./hash-name.ts";
import { folderOf, nameOf } from "./key-parts.ts";
import { lookOrNull } from "./look.ts";

/**
 * Whether the team folder still holds the names that it should: mostly by a look at its folders' times alone. Where a time
 * is another, or so young that the disk may have given it to two changes, the folder's names are read and summed up; what
 * they should sum up to is known, also right after we wrote there ourselves. So a file that somebody removed in that very
 * moment is missed by no run but one. Of the files that the team does not have, each is looked at.
 *
 * @returns the same, or refreshed where the times are other ones and the names are not; null: look at everything
 */
export function lookAgain(teamDir: string, sight: Sight | null): Sight | null {
  if (sight === null || hasRestarted(sight) || !isSameFile(lookAtIndex(teamDir), sight.index)) return null;
  if (!sight.locals.every((local) => isSameLocal(teamDir, local, sight.seenAtMs))) return null;
  // Before the first of them is read: what changes from now on is young.
  const seenAtMs = Date.now();
  const folders: FolderSight[] = [];
  for (const folder of sight.folders) {
    const seen = lookAtFolder(teamDir, folder, sight.seenAtMs);
    if (seen === null) return null;
    folders.push(seen);
  }
  const isSame = folders.every((folder, at) => folder === sight.folders[at]);
  return isSame ? sight : { ...sight, folders, seenAtMs };
}

export interface Expected {
  readonly folders: readonly NameSum[];
  /** Keys of files that the team does not have. */
  readonly locals: readonly string[];
  /** As it was written; null: there is none. */
  readonly index: FileSight | null;
  /** Before the first of them was read: what is written since then counts as unread. */
  readonly seenAtMs: number;
}

/**
 * What the folders should hold from now on; their times are taken as they are.
 *
 * @returns null for more files than can be watched: then every run looks at everything
 */
export function sightOf(teamDir: string, { folders, locals, index, seenAtMs }: Expected): Sight | null {
  if (locals.length > LIMITS.watchedFilesMax) return null;
  return {
    seenAtMs,
    bootedAtMs: bootedAtMs(),
    folders: folders.map((folder) => ({ ...folder, mtimeMs: mtimeOf(join(teamDir, folder.path)) })),
    index,
    locals: locals.flatMap((path) => lookAtLocal(teamDir, path) ?? []),
  };
}

/**
 * After a restart of the machine files may be there whose content never reached the disk: they count as missing, and only
 * a look into them shows it.
 */
export function hasRestarted({ bootedAtMs: before }: Sight): boolean {
  return Math.abs(before - bootedAtMs()) > BOOT_TOLERANCE_MS;
}

/** The clock may be corrected a little while the machine runs. */
const BOOT_TOLERANCE_MS = 120_000;

export function bootedAtMs(): number {
  return Math.round(Date.now() - uptime() * 1_000);
}

export type NameSum = Omit<FolderSight, "mtimeMs">;

export type NamedEntry = Pick<Dirent, "name" | "isFile" | "isDirectory">;

/**
 * The names of one folder, each with its kind: a link in a memory's place has its name. Of our own temporary ones there are
 * none once a run is over.
 */
export function sumNames(path: string, entries: readonly NamedEntry[]): NameSum {
  const counted = entries.filter(({ name }) => !isOwnName(name));
  const sum = counted.reduce((all, entry) => (all + hashName(kindOf(entry) + entry.name)) >>> 0, 0);
  return { path, count: counted.length, sum };
}

const FILE = "f";
const FOLDER = "d";

function kindOf(entry: NamedEntry): string {
  if (entry.isFile()) return FILE;
  return entry.isDirectory() ? FOLDER : "o";
}

/** Whether the team folder held no name when it was looked at: then nothing lies at any key, and none has to be looked at. */
export function isBare(folders: readonly NameSum[]): boolean {
  return folders.every(({ count }) => count === 0);
}

/** The sums once these files, and the folders that they need, are there or gone. A folder that became empty stays. */
export function expectNames(
  folders: readonly NameSum[],
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
): NameSum[] {
  const sums = new Map(folders.map((folder) => [folder.path, folder]));
  for (const key of removed) count(sums, key, { step: -1, kind: FILE });
  for (const key of added) {
    for (let folder = folderOf(key); folder !== "" && !sums.has(folder); folder = folderOf(folder)) {
      sums.set(folder, { path: folder, count: 0, sum: 0 });
      count(sums, folder, { step: 1, kind: FOLDER });
    }
    count(sums, key, { step: 1, kind: FILE });
  }
  return [...sums.values()];
}

interface Counting {
  readonly step: 1 | -1;
  readonly kind: string;
}

function count(sums: Map<string, NameSum>, path: string, { step, kind }: Counting): void {
  const folder = folderOf(path);
  const before = sums.get(folder) ?? { path: folder, count: 0, sum: 0 };
  sums.set(folder, {
    path: folder,
    count: before.count + step,
    sum: (before.sum + step * hashName(kind + nameOf(path))) >>> 0,
  });
}

function lookAtFolder(teamDir: string, folder: FolderSight, seenAtMs: number): FolderSight | null {
  const path = folder.path === "" ? teamDir : join(teamDir, folder.path);
  const seen = lookOrNull(path);
  if (seen?.isDirectory() !== true) return null;
  if (seen.mtimeMs === folder.mtimeMs && seen.mtimeMs < seenAtMs - LIMITS.folderTimeGrainMs) return folder;
  const there = readNames(path);
  // A name of our own was left by a run that was killed before its journal was written: looking at everything clears it.
  if (there.some(({ name }) => isOwnName(name))) return null;
  const names = sumNames(folder.path, there);
  return names.count === folder.count && names.sum === folder.sum ? { ...folder, mtimeMs: seen.mtimeMs } : null;
}

function readNames(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function mtimeOf(path: string): number {
  return lookOrNull(path)?.mtimeMs ?? 0;
}

/** A file so young that it may have been written after it was read is none that is known. */
function isSameLocal(teamDir: string, before: LocalSight, seenAtMs: number): boolean {
  const isOld = Math.max(before.mtimeMs, before.ctimeMs) < seenAtMs - LIMITS.folderTimeGrainMs;
  const now = lookAtLocal(teamDir, before.path);
  return isOld && isSameFile(now, before) && now?.ctimeMs === before.ctimeMs;
}

/** The time of its last change in any respect, too: a file that is moved here keeps the other, and so does one whose mode changes. */
function lookAtLocal(teamDir: string, path: string): LocalSight | null {
  const seen = lookOrNull(join(teamDir, path));
  return seen === null ? null : { path, ...toFileSight(seen), ctimeMs: seen.ctimeMs };
}

function isSameFile(now: FileSight | null, before: FileSight | null): boolean {
  if (now === null || before === null) return now === before;
  return now.sizeBytes === before.sizeBytes && now.mtimeMs === before.mtimeMs && now.ino === before.ino;
}

function lookAtIndex(teamDir: string): FileSight | null {
  const seen = lookOrNull(join(teamDir, "MEMORY.md"));
  return seen === null ? null : toFileSight(seen);
}

export function toFileSight({ size, mtimeMs, ino }: Pick<Stats, "size" | "mtimeMs" | "ino">): FileSight {
  return { sizeBytes: size, mtimeMs, ino };
}
