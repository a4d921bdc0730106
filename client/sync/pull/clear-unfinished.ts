import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRunning, isStale, readHolder } from "../lock/lock-holder.ts";
import { statePath } from "../state/layout.ts";

/**
 * Removes what killed runs had begun to write in the state folder: files that were not renamed into their places yet, and
 * locks that were not linked into theirs. For the holder of the lock. What cannot be removed is left to the next run.
 */
export function clearUnfinished(stateFolder: string): void {
  for (const folder of [stateFolder, statePath(stateFolder, "pristine")]) {
    for (const name of list(folder)) if (isAbandoned(join(folder, name), name)) remove(join(folder, name));
  }
}

/** `.<process>-<count>.tmp` of writeWhole, `lock.<process>-<nonce>` and `lock.replacing` of withLock. */
const UNFINISHED = /^(?:\.(?<writer>\d+)-\d+\.tmp|lock\.(?<locker>\d+)-\d+|lock\.replacing)$/;

function isAbandoned(path: string, name: string): boolean {
  const match = UNFINISHED.exec(name);
  if (match === null) return false;
  const { writer, locker } = match.groups ?? {};
  if (writer !== undefined) return !isRunning(Number(writer));
  const holder = readHolder(path);
  return holder === null && locker !== undefined ? !isRunning(Number(locker)) : isStale(path, holder);
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is in nobody's way.
  }
}
