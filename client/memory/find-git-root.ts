import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import { toDiskError } from "../../shared/path/disk-error.ts";
import { readSmallFile } from "./read-small-file.ts";

/**
 * Which repository a folder belongs to, read from disk alone. No git binary runs and no `GIT_*` variable counts: a hook
 * inherits those from whatever started the session, and they would name another repository.
 */
export interface Repository {
  /** Shared by all worktrees and subfolders: what the memory directory is named after. */
  readonly root: string;
  /** The checkout that the folder lies in; of a bare repository, the repository itself. */
  readonly worktree: string;
  /** Where this checkout keeps its index; null where that is not known. */
  readonly gitDir: string | null;
  /** Where its `config` lies; null where the checkout and the repository that it names do not confirm each other. */
  readonly commonDir: string | null;
}

/** The canonical root of the folder's repository; without git, the folder itself. Links are resolved. */
export function findCanonicalGitRoot(cwd: string): string {
  return findRepository(cwd)?.root ?? toRealFolder(cwd);
}

/**
 * @returns null outside any repository
 * @throws TeamMemoryError `disk` where the folder itself cannot be read
 */
export function findRepository(cwd: string): Repository | null {
  const folders = listFoldersUpwards(toRealFolder(cwd));
  for (const folder of folders) {
    const dotGit = join(folder, ".git");
    const stat = statOrNull(dotGit);
    if (stat?.isDirectory()) return { root: folder, worktree: folder, gitDir: dotGit, commonDir: dotGit };
    if (stat?.isFile()) return followGitFile(folder, dotGit);
  }
  // Only where no checkout encloses it: a bare repository committed into another one must not become a root, or a
  // repository could choose the memories that a session inside it sees.
  const bare = folders.find(isBareRepository);
  return bare === undefined ? null : { root: bare, worktree: bare, gitDir: bare, commonDir: bare };
}

/** @throws TeamMemoryError `disk` */
export function toRealFolder(folder: string): string {
  try {
    return toRealPath(folder);
  } catch (error) {
    throw toDiskError(error, "open the folder", folder);
  }
}

/** The folder and those above it, nearest first. */
export function listFoldersUpwards(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; folders.length < LIMITS.parentFoldersMax && dirname(at) !== at; ) {
    at = dirname(at);
    folders.push(at);
  }
  return folders;
}

/** A worktree's `.git` file names its git folder, a submodule's names a whole repository of its own. */
function followGitFile(folder: string, dotGit: string): Repository {
  const unconfirmed = { root: folder, worktree: folder, gitDir: null, commonDir: null };
  const gitDir = readPointer(dotGit, /^gitdir:[ \t]*(.+)$/, folder);
  if (gitDir === null) return unconfirmed;
  const commonDir = readPointer(join(gitDir, "commondir"), /^(.+)$/, gitDir);
  if (commonDir === null) return { root: folder, worktree: folder, gitDir, commonDir: gitDir };
  if (!isConfirmed({ dotGit, gitDir, commonDir })) return unconfirmed;
  const root = basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
  return { root, worktree: folder, gitDir, commonDir };
}

/**
 * A worktree counts only when the repository agrees: its git folder lies directly in `<common>/worktrees` and points back
 * here. Otherwise an unpacked archive with a `.git` file of its own could claim any repository on the machine, and be
 * shown its memories.
 */
function isConfirmed(link: { dotGit: string; gitDir: string; commonDir: string }): boolean {
  if (dirname(link.gitDir) !== join(link.commonDir, "worktrees")) return false;
  return readPointer(join(link.gitDir, "gitdir"), /^(.+)$/, link.gitDir) === link.dotGit;
}

/** The real path that a one-line file names, relative to `base`; null where file, line or target is missing. */
function readPointer(file: string, line: RegExp, base: string): string | null {
  try {
    const target = line.exec(readSmallFile(file, LIMITS.gitPointerSizeBytesMax)?.trimEnd() ?? "")?.[1];
    if (target === undefined || target.includes("\0")) return null;
    return toRealPath(resolve(base, target));
  } catch {
    return null;
  }
}

/** macOS hands out decomposed names; the host composes them there before it names its folder. */
function toRealPath(path: string): string {
  const real = realpathSync.native(path);
  return process.platform === "darwin" ? real.normalize("NFC") : real;
}

function isBareRepository(folder: string): boolean {
  return (
    statOrNull(join(folder, "HEAD"))?.isFile() === true &&
    statOrNull(join(folder, "objects"))?.isDirectory() === true &&
    statOrNull(join(folder, "refs"))?.isDirectory() === true
  );
}

function statOrNull(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
