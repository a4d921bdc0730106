import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { TeamMemoryError } from "../errors/team-memory-error.ts";
import { refuse } from "./check-team-path.ts";
import { statFile } from "./names-on-disk.ts";

export interface RegularFile {
  readonly bytes: Uint8Array;
  readonly mtimeMs: number;
  /** More than one: the file has another name somewhere, and changing it in place would change that one too. */
  readonly nlink: number;
}

export interface ReadBound {
  readonly key: string;
  readonly sizeBytesMax: number;
}

/** Follows no link and does not wait, as opening a pipe would. Windows has neither flag; there the look before must do. */
const TO_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * @returns null where nothing is there
 * @throws PathTraversalError where it is no regular file, TeamMemoryError `too_large`
 */
export function readRegularFile(path: string, { key, sizeBytesMax }: ReadBound): RegularFile | null {
  const seen = statFile(path, key);
  if (seen === null) return null;
  const descriptor = openSync(path, TO_READ);
  try {
    const stats = fstatSync(descriptor);
    if (stats.ino !== seen.ino || stats.dev !== seen.dev) refuse(key, "R-MOVED");
    return { bytes: readUpTo(descriptor, sizeBytesMax, key), mtimeMs: stats.mtimeMs, nlink: stats.nlink };
  } finally {
    closeSync(descriptor);
  }
}

const CHUNK_SIZE_BYTES = 16 * 1024;

/** Counts what it reads: the size that the disk names may be old. */
function readUpTo(descriptor: number, sizeBytesMax: number, key: string): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (let left = sizeBytesMax; ; ) {
    const chunk = new Uint8Array(Math.min(CHUNK_SIZE_BYTES, left + 1));
    const count = readSync(descriptor, chunk);
    if (count > left) throw tooLarge(key, sizeBytesMax);
    if (count === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, count));
    left -= count;
  }
}

function tooLarge(key: string, sizeBytesMax: number): TeamMemoryError {
  return new TeamMemoryError("too_large", `Cannot read a file of more than ${sizeBytesMax} bytes: ${key}`, {
    details: { key, sizeBytesMax },
  });
}
