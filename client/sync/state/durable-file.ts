import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { toDiskError } from "../../../shared/path/disk-error.ts";
import { isMissing, readSmallFileBytes } from "../../memory/read-small-file.ts";

/**
 * Files of the state folder: private, whole or not there at all. A reader sees the old content or the new one, also after
 * a power cut where `durable` is asked for.
 */
export interface WriteOptions {
  /** Flushed to the disk before this returns, the name included. What can be made again need not be. */
  readonly isDurable: boolean;
}

/** @throws TeamMemoryError `disk`, `disk_full`; the old content is there then */
export function writeWhole(path: string, bytes: Uint8Array | string, { isDurable }: WriteOptions): void {
  const temp = join(dirname(path), `.${process.pid}-${tempCount++}.tmp`);
  try {
    writeNew(temp, typeof bytes === "string" ? Buffer.from(bytes) : bytes, isDurable);
    renameSync(temp, path);
    if (isDurable) syncFolder(dirname(path));
  } catch (error) {
    rmSync(temp, { force: true });
    throw toDiskError(error, "write", path);
  }
}

let tempCount = 0;

/** A new file: `EEXIST` where one is there. */
export function writeNew(path: string, bytes: Uint8Array, isDurable: boolean): void {
  const file = openSync(path, "wx", 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    if (isDurable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The folder and those above it, for nobody else's eyes. @throws TeamMemoryError `disk`, `disk_full` */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toDiskError(error, "make the folder", path);
  }
}

/** Makes new and removed names last. Windows cannot and need not. */
export function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Of `head`, `marks`, `outbox` and `journal`. A rise of it is what keeps an older client from taking a newer one's state for damage. */
export const STATE_FORMAT = 1;

/**
 * As readJsonFile, for a file that holds what cannot be had again: a damaged one is set aside under another name, so that
 * the next write does not end it; listDamaged names it until somebody has looked.
 *
 * @throws TeamMemoryError `upgrade_required` where a newer client wrote it, and nothing is touched; `disk`
 */
export function readOwnFile<T>(path: string, sizeBytesMax: number, parse: (json: unknown) => T | null): T | null {
  const bytes = readSmallFileBytes(path, sizeBytesMax);
  if (bytes === null) return null;
  const value = parseBytes(bytes, (json) => {
    assertFormatKnown(path, json);
    return parse(json);
  });
  if (value === null) setAside(path);
  return value;
}

/** A run beside this one may have done so first: a status looks without the lock. */
function setAside(path: string): void {
  try {
    renameSync(path, `${path}${DAMAGED}${Date.now()}`);
  } catch (error) {
    if (!isMissing(error)) throw toDiskError(error, "set the damaged file aside", path);
  }
}

/**
 * What readOwnFile has set aside and nobody has deleted, at most so many; empty where there is no such folder.
 *
 * @param path of one file alone
 */
export function listDamaged(stateFolder: string, path?: string): readonly string[] {
  const prefix = path === undefined ? "" : basename(path);
  try {
    const names = readdirSync(stateFolder).filter((name) => name.includes(DAMAGED) && name.startsWith(prefix));
    return names.slice(0, LIMITS.damagedFilesShownMax).map((name) => join(stateFolder, name));
  } catch {
    return [];
  }
}

const DAMAGED = ".damaged-";

/** @throws TeamMemoryError `upgrade_required` */
export function assertFormatKnown(path: string, json: unknown): void {
  const format = typeof json === "object" && json !== null && "format" in json ? json.format : null;
  if (typeof format !== "number" || format <= STATE_FORMAT) return;
  throw new TeamMemoryError("upgrade_required", `A newer client wrote ${path}: format ${format}`, {
    details: { path, format, known: STATE_FORMAT },
  });
}

/**
 * What `parse` makes of a JSON file; null where the file is missing, is no JSON, or is not what `parse` accepts (it throws
 * or gives null). Whoever asks decides what a damaged file means.
 *
 * @throws TeamMemoryError `disk` where it is there and cannot be read
 */
export function readJsonFile<T>(path: string, sizeBytesMax: number, parse: (json: unknown) => T | null): T | null {
  const bytes = readSmallFileBytes(path, sizeBytesMax);
  return bytes === null ? null : parseBytes(bytes, parse);
}

function parseBytes<T>(bytes: Buffer, parse: (json: unknown) => T | null): T | null {
  try {
    return parse(JSON.parse(bytes.toString("utf8")));
  } catch (error) {
    if (isTeamMemoryError(error)) throw error;
    return null;
  }
}
