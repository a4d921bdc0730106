import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { TeamMemoryError } from "../errors/team-memory-error.ts";
import { assertFile, statName, unlessMissing } from "./names-on-disk.ts";

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

/**
 * Follows no link, and does not wait as opening a pipe would. Windows knows neither flag: a link put there between the look
 * and the opening would be followed, which takes the right to make links.
 */
const TO_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * @returns null where nothing is there
 * @throws PathTraversalError where it is no regular file, TeamMemoryError `too_large`
 */
export function readRegularFile(path: string, { key, sizeBytesMax }: ReadBound): RegularFile | null {
  const seen = statName(path);
  // What is not there is mostly asked for, and opening it to be told so costs ten times the look.
  if (seen === null) return null;
  // Before it is opened: opening a device may already do something.
  assertFile(seen, key);
  const descriptor = unlessMissing(() => openSync(path, TO_READ));
  if (descriptor === null) return null;
  try {
    const stats = fstatSync(descriptor);
    assertFile(stats, key);
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
