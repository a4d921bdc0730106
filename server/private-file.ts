import { randomBytes } from "node:crypto";
import { link, lstat, mkdir, readdir, readFile, rename, rm, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { LIMITS } from "../shared/limits.ts";
import { toAgeMs } from "../shared/to-age-ms.ts";

/**
 * Creates a file that only its owner may read, whole or not at all. Of several processes that create it at once one
 * wins; false: it was there already.
 */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  const temp = tempNameOf(path);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(temp, text, { mode: 0o600, flag: "wx", flush: true });
    await link(temp, path);
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    throw diskError("create", path, error);
  } finally {
    await rm(temp, { force: true });
  }
}

/** Whole or not at all, over what is there. @throws TeamMemoryError disk, disk_full */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const temp = tempNameOf(path);
  try {
    await writeFile(temp, text, { mode: 0o600, flag: "wx", flush: true });
    await rename(temp, path);
  } catch (error) {
    throw diskError("write", path, error);
  } finally {
    await rm(temp, { force: true });
  }
}

function tempNameOf(path: string): string {
  return `${path}.${randomBytes(8).toString("hex")}.tmp`;
}

/**
 * A folder that only its owner may enter, with those above it; one that is there is left as it is.
 * @throws TeamMemoryError disk, disk_full
 */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError("create", path, error);
  }
}

/** Takes away what writing a file here has left in a folder when it was killed: paths. What cannot be is left. */
export async function sweepPrivateTemps(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const swept: string[] = [];
  for (const path of names.filter((name) => TEMP_NAME.test(name)).map((name) => join(folder, name))) {
    const seen = await lstat(path).catch(() => null);
    if (seen === null || toAgeMs(seen) <= LIMITS.gitUnfinishedAgeMs) continue;
    await unlink(path).then(
      () => swept.push(path),
      () => {},
    );
  }
  return swept;
}

const TEMP_NAME = /\.[0-9a-f]{16}\.tmp$/;

/** The text of a file, or null where there is none. */
export async function readFileIfThere(path: string): Promise<string | null> {
  return (await readBytesIfThere(path))?.toString("utf8") ?? null;
}

/** The bytes of a file, or null where there is none. */
export async function readBytesIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return null;
    throw diskError("read", path, error);
  }
}

export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

export function diskError(what: string, path: string, cause: unknown): TeamMemoryError {
  const code = isErrno(cause, "ENOSPC") || isErrno(cause, "EDQUOT") ? "disk_full" : "disk";
  const errno = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : "unknown";
  return new TeamMemoryError(code, `Could not ${what} ${path} (${errno})`, { details: { path, errno }, cause });
}
