import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { codeOf, toDiskError } from "../../shared/path/disk-error.ts";

/**
 * The text of a plain file of at most `sizeBytesMax` bytes, or null where there is none. Never waits: a named pipe that
 * a repository puts in a settings file's place would hang a session that reads it.
 *
 * @throws TeamMemoryError `disk`: unreadable, not a plain file, or too large
 */
export function readSmallFile(path: string, sizeBytesMax: number): string | null {
  return readSmallFileBytes(path, sizeBytesMax)?.toString("utf8") ?? null;
}

/** As readSmallFile, undecoded. */
export function readSmallFileBytes(path: string, sizeBytesMax: number): Buffer | null {
  try {
    // Most files asked for do not exist: asking first is much cheaper than an open that throws.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return null;
    const file = openPlainFile(path);
    try {
      return readOpenFile(file, path, sizeBytesMax);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw toDiskError(error, "read the file", path);
  }
}

/** For reading, and never waiting. @throws TeamMemoryError `disk` for what is no plain file, and the system's own errors */
export function openPlainFile(path: string): number {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new TeamMemoryError("disk", `Not a plain file: ${path}`, { details: { path } });
}

/** True where the path, or a folder on the way to it, is not there. */
export function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(error));
}

function readOpenFile(file: number, path: string, sizeBytesMax: number): Buffer {
  const stat = fstatSync(file);
  if (stat.size > sizeBytesMax) {
    const details = { path, sizeBytesMax };
    throw new TeamMemoryError("disk", `File is over ${sizeBytesMax} bytes: ${path}`, { details });
  }
  const bytes = Buffer.allocUnsafe(stat.size);
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(file, bytes, length, bytes.length - length, null);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}
