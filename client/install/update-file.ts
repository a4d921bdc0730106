import { type FileHandle, lstat, mkdir, open, realpath, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { codeOf, toDiskError } from "../../shared/path/disk-error.ts";
import { escapeForDisplay } from "../../shared/path/escape-for-display.ts";
import { toAgeMs } from "../../shared/to-age-ms.ts";
import { isMissing, readSmallFileBytes } from "../memory/read-small-file.ts";

export interface UpdateOptions {
  /** Of the file: a new one gets it, and with `keepMode` only a new one. */
  readonly mode: number;
  readonly keepMode?: boolean;
  /** Of folders that have to be made. */
  readonly folderMode: number;
}

/** From the bytes (null: no file) to the new text (null: remove the file). May be called again. */
export type FileChange = (bytes: Buffer | null) => string | null | Promise<string | null>;

/**
 * Changes a file in one step: whoever reads it sees the old bytes or the new ones. Among ourselves a lock file, which is
 * the new file before it is renamed into place; others do not know that lock, so the file is read again before the
 * rename and the change is made anew where it has moved on. A link is followed and stays a link.
 *
 * @param change what it throws leaves everything as it was
 * @returns whether the file was changed
 * @throws TeamMemoryError `disk`, `disk_full`, `busy`
 */
export function updateFile(path: string, options: UpdateOptions, change: FileChange): Promise<boolean> {
  return underLock(path, options, async (held) => {
    for (let attempt = 1; attempt <= LIMITS.placeAttemptsMax; attempt += 1) {
      const staged = await stage(held, change);
      if (staged === null) return false;
      if (await replace(held, staged)) return true;
    }
    throw new TeamMemoryError("busy", `Could not change a file that others keep changing: ${held.target}`, {
      details: { path: held.target },
    });
  });
}

/**
 * Does all of updateFile but its last step, the rename, and takes back what it made on the way: what would make that fail
 * is found out by doing it, and not guessed from modes.
 *
 * @returns whether the file would be changed
 * @throws TeamMemoryError as updateFile
 */
export async function rehearseUpdate(path: string, options: UpdateOptions, change: FileChange): Promise<boolean> {
  const made = await makeFolder(dirname(path), options);
  try {
    return await underLock(path, options, async (held) => (await stage(held, change)) !== null);
  } finally {
    if (made !== undefined) await removeEmptyFolders(dirname(path), made);
  }
}

/** From updateFile or from rehearseUpdate: what is done to several files is rehearsed for all of them. */
export type Update = typeof updateFile;

interface HeldFile {
  /** What the path leads to. */
  readonly target: string;
  readonly lockPath: string;
  readonly lock: FileHandle;
  readonly options: UpdateOptions;
  /** The lock has become the file. */
  isPlaced: boolean;
}

async function underLock<T>(path: string, options: UpdateOptions, act: (held: HeldFile) => Promise<T>): Promise<T> {
  try {
    await makeFolder(dirname(path), options);
    const target = await toTarget(path);
    const lockPath = join(dirname(target), `.${basename(target)}.team-memory-lock`);
    const held = { target, lockPath, lock: await takeLock(lockPath), options, isPlaced: false };
    try {
      return await act(held);
    } finally {
      await held.lock.close();
      // Renamed into place, its name is free at once: what lies there by now is the next one's lock.
      if (!held.isPlaced) await rm(lockPath, { force: true });
    }
  } catch (cause) {
    throw toDiskError(cause, "change the file", path);
  }
}

interface Staged {
  readonly before: Buffer | null;
  /** Null: the file is to go. */
  readonly after: Buffer | null;
}

/** Null: nothing is to be changed. */
async function stage({ target, lock, options }: HeldFile, change: FileChange): Promise<Staged | null> {
  const before = readSmallFileBytes(target, LIMITS.settingsFileSizeBytesMax);
  const text = await change(before);
  const after = text === null ? null : Buffer.from(text);
  if (isSame(before, after)) return null;
  if (after !== null) await writeAll(lock, after);
  await takeOverOwner(lock, target, options);
  return { before, after };
}

/** False where somebody has changed the file meanwhile. */
async function replace(held: HeldFile, { before, after }: Staged): Promise<boolean> {
  const { target, lockPath } = held;
  if (!isSame(before, readSmallFileBytes(target, LIMITS.settingsFileSizeBytesMax))) return false;
  if (after === null) await rm(target, { force: true });
  else {
    await rename(lockPath, target);
    held.isPlaced = true;
  }
  return true;
}

/** The topmost folder that was made. @throws TeamMemoryError `disk`, `disk_full` */
async function makeFolder(folder: string, { folderMode }: UpdateOptions): Promise<string | undefined> {
  try {
    return await mkdir(folder, { recursive: true, mode: folderMode });
  } catch (error) {
    throw toDiskError(error, "make the folder", folder);
  }
}

/** Up to the topmost one; one that holds something by now stays. */
async function removeEmptyFolders(lowest: string, topmost: string): Promise<void> {
  for (let folder = lowest; folder.startsWith(topmost); folder = dirname(folder)) {
    await rmdir(folder).catch(() => undefined);
  }
}

/** What a link leads to: renaming over the link would replace it, and with it the user's way of keeping settings. */
async function toTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    if ((await lstat(path).catch(() => null)) !== null) throw toDangling(path, error);
    return join(await realpath(dirname(path)), basename(path));
  }
}

function toDangling(path: string, cause: unknown): TeamMemoryError {
  return new TeamMemoryError("disk", `A link that leads nowhere: ${escapeForDisplay(path)}`, {
    details: { path: escapeForDisplay(path) },
    cause,
  });
}

/** Held for milliseconds: an older one was left by a kill. */
async function takeLock(lockPath: string): Promise<FileHandle> {
  for (let waitedMs = 0; ; waitedMs += LIMITS.settingsLockRetryMs) {
    try {
      return await open(lockPath, "wx", 0o600);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw toDiskError(error, "make a file in", dirname(lockPath));
    }
    const seen = await stat(lockPath).catch(() => null);
    if (seen !== null && toAgeMs(seen) > LIMITS.settingsLockStaleMs) await rm(lockPath, { force: true });
    else if (waitedMs > LIMITS.lockWaitMs) throw new TeamMemoryError("busy", `Could not take the lock: ${lockPath}`);
    else await sleep(LIMITS.settingsLockRetryMs);
  }
}

async function writeAll(lock: FileHandle, bytes: Buffer): Promise<void> {
  await lock.truncate(0);
  for (let at = 0; at < bytes.length; ) at += (await lock.write(bytes, at, bytes.length - at, at)).bytesWritten;
  await lock.sync();
}

async function takeOverOwner(lock: FileHandle, target: string, options: UpdateOptions): Promise<void> {
  const old = await stat(target).catch(() => null);
  await lock.chmod(old !== null && options.keepMode === true ? old.mode & 0o7777 : options.mode);
  // Only the superuser can, and only there it matters.
  if (old !== null) await lock.chown(old.uid, old.gid).catch(() => undefined);
}

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
