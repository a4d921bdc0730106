import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { isOwnName } from "../../../shared/path/own-name.ts";
import { PathTraversalError } from "../../../shared/path/path-traversal-error.ts";
import { isMemoryKey, type MemoryKey, sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";
import { type NameSum, sumNames } from "./folder-sight.ts";
import { look } from "./look.ts";

/**
 * The names under team/: which keys have a file, and what else lies there. Contents are not looked at, links are not
 * followed, and a name that can be no key is named and left alone.
 */
export interface TeamListing {
  readonly files: ReadonlySet<MemoryKey>;
  readonly folders: readonly NameSum[];
  readonly hasIndex: boolean;
  /** Folders whose names could not be read: nothing is known of what lies below. */
  readonly unreadable: readonly string[];
  readonly oddities: readonly Oddity[];
  /** What a killed run left: temps, and files moved aside. Below the team folder. */
  readonly strays: readonly string[];
}

export interface Oddity {
  /** Escaped: the name may be made to hide in a terminal. */
  readonly name: string;
  readonly why: "link" | "special" | "folder" | "unreadable" | "bad_name";
  /** The rule that a bad name breaks. */
  readonly rule: string | null;
  /** The same in words, the end of a sentence: "has a colon". */
  readonly reason: string | null;
}

/**
 * @returns null where the team folder is missing
 * @throws PathTraversalError where the team folder is a link or no folder
 * @throws TeamMemoryError `too_large` for more files than a project may hold
 */
export function listTeam(teamDir: string): TeamListing | null {
  const root = lstatSync(teamDir, { throwIfNoEntry: false });
  if (root === undefined) return null;
  if (!root.isDirectory()) {
    throw new PathTraversalError({ rule: "R-TEAM-DIR", key: "team/", reason: "is a link, or no folder at all" });
  }
  const listing = emptyListing();
  listFolder(teamDir, "", listing);
  return listing;
}

function emptyListing(): Growing {
  const files = new Set<MemoryKey>();
  return { files, folders: [], hasIndex: false, unreadable: [], oddities: [], strays: [], seen: 0 };
}

interface Growing {
  readonly files: Set<MemoryKey>;
  readonly folders: NameSum[];
  hasIndex: boolean;
  readonly unreadable: string[];
  readonly oddities: Oddity[];
  readonly strays: string[];
  seen: number;
}

function listFolder(teamDir: string, folder: string, listing: Growing): void {
  const path = join(teamDir, folder);
  if (!isFolder(path)) return;
  const entries = readEntries(path, folder, listing);
  listing.folders.push(sumNames(folder, entries));
  for (const entry of entries) {
    listing.seen += 1;
    if (listing.seen > LIMITS.localFilesMax) throw tooMany(teamDir);
    const below = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (isOwnName(entry.name)) listing.strays.push(below);
    else if (isIndex(below)) listing.hasIndex = true;
    else if (entry.name.startsWith(".")) continue;
    else if (entry.isDirectory()) visitFolder(teamDir, below, listing);
    else visitFile(below, entry, listing);
  }
}

/** Or may be one: reading its names tells. */
function isFolder(path: string): boolean {
  const seen = look(path);
  return seen === "unreadable" || seen?.isDirectory() === true;
}

function readEntries(path: string, folder: string, listing: Growing): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    listing.unreadable.push(folder);
    listing.oddities.push({ name: `${folder}/`, why: "unreadable", rule: null, reason: null });
    return [];
  }
}

function visitFolder(teamDir: string, folder: string, listing: Growing): void {
  const before = listing.files.size;
  if (folder.split("/").length < LIMITS.treeDepthMax) listFolder(teamDir, folder, listing);
  else listing.oddities.push({ name: folder, why: "bad_name", rule: "R-DEPTH", reason: "has too many folders" });
  const isMistaken = listing.files.size === before && isMemoryKey(folder);
  if (isMistaken) listing.oddities.push({ name: folder, why: "folder", rule: null, reason: null });
}

function visitFile(below: string, entry: Dirent, listing: Growing): void {
  try {
    // macOS may hand out names decomposed; there, the composed name finds the same file.
    const key = sanitizePathKey(process.platform === "darwin" ? below.normalize("NFC") : below);
    if (entry.isFile()) listing.files.add(key);
    else
      listing.oddities.push({ name: key, why: entry.isSymbolicLink() ? "link" : "special", rule: null, reason: null });
  } catch (error) {
    if (!(error instanceof PathTraversalError)) throw error;
    const why = entry.isSymbolicLink() ? "link" : "bad_name";
    listing.oddities.push({ name: error.displayKey, why, rule: error.rule, reason: error.reason });
  }
}

/** Ours, made anew with each pull; at the top only, and other spellings of it are bad names. */
function isIndex(below: string): boolean {
  return below === "MEMORY.md";
}

function tooMany(teamDir: string): TeamMemoryError {
  return new TeamMemoryError("too_large", `More than ${LIMITS.localFilesMax} files lie in ${teamDir}`, {
    details: { filesMax: LIMITS.localFilesMax },
  });
}
