import { closeSync, constants, openSync, statSync, utimesSync } from "node:fs";
import { toDiskError } from "../../../shared/path/disk-error.ts";
import { statePath } from "./layout.ts";

/**
 * When the service was last heard, as the mtime of an empty file: the moment at which the last good check began, so that
 * everything merged before it is here. Setting it needs no write, and a kill leaves the old moment or the new one.
 *
 * @throws TeamMemoryError `disk`
 */
export function readCheckedAtMs(stateFolder: string): number | null {
  return readTouchedAtMs(statePath(stateFolder, "checked"));
}

/** The time of a file of touch; null: there is none. @throws TeamMemoryError `disk` */
export function readTouchedAtMs(path: string): number | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
  } catch (error) {
    throw toDiskError(error, "look at", path);
  }
}

/** @throws TeamMemoryError `disk`, `disk_full` */
export function writeCheckedAtMs(stateFolder: string, atMs: number): void {
  touch(statePath(stateFolder, "checked"), atMs);
}

/** An empty file whose time is all that it says. @throws TeamMemoryError `disk`, `disk_full` */
export function touch(path: string, atMs: number): void {
  try {
    // Never waiting: a pipe has nobody at its other end.
    closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | (constants.O_NONBLOCK ?? 0), 0o600));
    utimesSync(path, atMs / 1_000, atMs / 1_000);
  } catch (error) {
    throw toDiskError(error, "write", path);
  }
}

/**
 * Whether the last good check answers a question asked at `askedAtMs`: it began after that. So ten sessions that start at
 * once make one request, and a pull that follows a merge always sees it. A moment in the future is a clock that was set
 * back, and answers nothing.
 */
export function isAnswered(checkedAtMs: number | null, askedAtMs: number, nowMs: number): boolean {
  return checkedAtMs !== null && checkedAtMs >= askedAtMs && checkedAtMs <= nowMs;
}
