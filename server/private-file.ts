import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";

/**
 * Creates a file that only its owner may read, whole or not at all. Of several processes that create it at once one
 * wins; false: it was there already.
 */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  const temp = `${path}.${randomBytes(8).toString("hex")}.tmp`;
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
