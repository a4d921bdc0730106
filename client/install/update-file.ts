import { type FileHandle, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { codeOf, toDiskError } from "../../shared/path/disk-error.ts";
import { isMissing } from "../memory/read-small-file.ts";

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
export async function updateFile(path: string, options: UpdateOptions, change: FileChange): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: options.folderMode });
    const target = await toTarget(path);
    const lockPath = join(dirname(target), `.${basename(target)}.team-memory-lock`);
    const lock = await takeLock(lockPath);
    let isFree = false;
    const release = () => {
      isFree = true;
    };
    try {
      return await replaceUnderLock({ target, lockPath, lock, options, change, release });
    } finally {
      await lock.close();
      // Renamed into place, its name is free at once: what lies there by now is the next one's lock.
      if (!isFree) await rm(lockPath, { force: true });
    }
  } catch (cause) {
    throw toDiskError(cause, "change the file", path);
  }
}

interface Replacement {
  readonly target: string;
  readonly lockPath: string;
  readonly lock: FileHandle;
  readonly options: UpdateOptions;
  readonly change: FileChange;
  /** The lock's name is nobody's any more. */
  readonly release: () => void;
}

async function replaceUnderLock({ target, lockPath, lock, options, change, release }: Replacement): Promise<boolean> {
  for (let attempt = 1; attempt <= LIMITS.placeAttemptsMax; attempt += 1) {
    const before = await readOrNull(target);
    const text = await change(before);
    const after = text === null ? null : Buffer.from(text);
    if (isSame(before, after)) return false;
    if (after !== null) await writeAll(lock, after);
    await takeOverOwner(lock, target, options);
    if (!isSame(before, await readOrNull(target))) continue;
    if (after === null) await rm(target, { force: true });
    else {
      await rename(lockPath, target);
      release();
    }
    return true;
  }
  throw new TeamMemoryError("busy", `Could not change a file that others keep changing: ${target}`, {
    details: { path: target },
  });
}

/** What a link leads to: renaming over the link would replace it, and with it the user's way of keeping settings. */
async function toTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const isDangling = (await lstat(path).catch(() => null)) !== null;
    if (isDangling || !isMissing(error)) throw error;
    return join(await realpath(dirname(path)), basename(path));
  }
}

/** Held for milliseconds: an older one was left by a kill. */
async function takeLock(lockPath: string): Promise<FileHandle> {
  for (let waitedMs = 0; ; waitedMs += LIMITS.settingsLockRetryMs) {
    try {
      return await open(lockPath, "wx", 0o600);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    const age = Date.now() - ((await stat(lockPath).catch(() => null))?.mtimeMs ?? Date.now());
    if (age > LIMITS.settingsLockStaleMs) await rm(lockPath, { force: true });
    else if (waitedMs > LIMITS.lockWaitMs) throw new TeamMemoryError("busy", `Could not take the lock: ${lockPath}`);
    else await sleep(LIMITS.settingsLockRetryMs);
  }
}

async function writeAll(lock: FileHandle, bytes: Buffer): Promise<void> {
  await lock.truncate(0);
  await lock.write(bytes, 0, bytes.length, 0);
  await lock.sync();
}

async function takeOverOwner(lock: FileHandle, target: string, options: UpdateOptions): Promise<void> {
  const old = await stat(target).catch(() => null);
  await lock.chmod(old !== null && options.keepMode === true ? old.mode & 0o7777 : options.mode);
  // Only the superuser can, and only there it matters.
  if (old !== null) await lock.chown(old.uid, old.gid).catch(() => undefined);
}

async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    const bytes = await readFile(path);
    if (bytes.length <= LIMITS.settingsFileSizeBytesMax) return bytes;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  throw new TeamMemoryError("disk", `File is over ${LIMITS.settingsFileSizeBytesMax} bytes: ${path}`, {
    details: { path },
  });
}

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
