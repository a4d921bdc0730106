import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import { findRepository } from "./find-git-root.ts";
import { readSmallFileBytes } from "./read-small-file.ts";

/**
 * Whether a file comes with the repository or is the developer's own. Asked of git's index, read as bytes: no git binary
 * runs, because a repository's config can name programs for it to run. Every doubt counts as tracked, the answer that
 * gives the file no say: a link on the way, no repository at all (an unpacked archive has none), an index that is split,
 * compressed, unreadable or over its bound.
 */
export function isTrackedByGit(path: string): boolean {
  try {
    return !isPlainFile(path) || isNamedByIndex(path);
  } catch {
    return true;
  }
}

/** The file stands where its name says: a committed link `.claude -> config` would hide the name that git tracks. */
function isPlainFile(path: string): boolean {
  return lstatSync(path).isFile() && realpathSync.native(path).normalize("NFC") === path.normalize("NFC");
}

function isNamedByIndex(path: string): boolean {
  const repository = findRepository(dirname(path));
  if (repository === null || repository.gitDir === null) return true;
  if (readdirSync(repository.gitDir).some((name) => name.startsWith("sharedindex."))) return true;
  const index = readSmallFileBytes(join(repository.gitDir, "index"), LIMITS.gitIndexSizeBytesMax);
  if (index === null) return false;
  return !hasPlainNames(index) || holdsName(index, relative(repository.worktree, path).split(sep));
}

/** Version 4 compresses names against the one before. */
function hasPlainNames(index: Buffer): boolean {
  return index.toString("latin1", 0, 4) === "DIRC" && [2, 3].includes(index.readUInt32BE(4));
}

/**
 * Names end in NUL; a sparse index has a folder's name in place of what is below it. A longer name that ends the same
 * counts too. Any case: on most Macs and on Windows a committed `.Claude/Settings.local.json` is this very file.
 */
function holdsName(index: Buffer, segments: readonly string[]): boolean {
  const text = index.toString("latin1").toLowerCase();
  const names = segments.map(
    (_, at) => segments.slice(0, at + 1).join("/") + (at + 1 < segments.length ? "/\0" : "\0"),
  );
  return names.some((name) => text.includes(Buffer.from(name).toString("latin1").toLowerCase()));
}
