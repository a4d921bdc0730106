/**
 * Lock files as native git takes them: `<path>.lock`, created only where there is none. Native git and we therefore wait
 * for each other, whoever is first. Ours hold their owner's name until they are released, never the new value, so that
 * one left by a kill is known as such.
 */
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { toAgeMs } from "../../shared/to-age-ms.ts";
import { OWN_LOCK_TEXT, ownerState } from "./lock-owner.ts";
import { errorCodeOf, isMissing } from "./translate-git-error.ts";

export interface Lock {
  release(): Promise<void>;
}

/** The lock of a reference or of `packed-refs`. Throws `unavailable` when another writer holds it for too long. */
export async function takeLock(gitDir: string, name: string, waitMs: number = LIMITS.refLockWaitMs): Promise<Lock> {
  const path = join(gitDir, `${name}.lock`);
  const until = Date.now() + waitMs;
  while (!(await createLock(gitDir, path))) {
    if (await isDead(path)) await breakLock(gitDir, path);
    else if (Date.now() >= until)
      throw new TeamMemoryError("unavailable", `could not lock ${name} within ${waitMs} ms`);
    else await sleep(LIMITS.publishBackoffMsMin * (1 + Math.random()));
  }
  return { release: () => unlink(path).catch(ignoreMissing) };
}

/** False where there is one. It appears with its owner's name in it: killed between the two, nobody could tell whose it is. */
async function createLock(gitDir: string, path: string): Promise<boolean> {
  const named = join(gitDir, `tmp_lock_${randomBytes(8).toString("hex")}`);
  await writeFile(named, OWN_LOCK_TEXT, { flag: "wx", mode: 0o644 });
  try {
    await linkInto(named, path);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await unlink(named);
  }
}

/** Native git removes folders that have become empty, so this one may be missing, or go again at once. */
async function linkInto(named: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await link(named, path);
    } catch (error) {
      if (!isMissing(error) || attempt === LIMITS.gitFolderAttemptsMax) throw error;
      await mkdir(dirname(path), { recursive: true }).catch(ignoreMissing);
    }
  }
}

/** Whether nobody holds a lock any more: its process has ended, or it is nobody's we know and old. */
export async function isDead(path: string): Promise<boolean> {
  try {
    const state = ownerState(await readFile(path, "latin1"));
    if (state !== "unknown") return state === "gone";
    return toAgeMs(await stat(path)) > LIMITS.refLockStaleMs;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Remove a dead lock. Two processes that both saw it dead must not remove the live lock that one of them takes next, so
 * breakers exclude each other and look again.
 */
export async function breakLock(gitDir: string, path: string): Promise<void> {
  const guard = join(gitDir, "tmp_break_lock");
  if (!(await createLock(gitDir, guard))) {
    if (await isDead(guard)) await unlink(guard).catch(ignoreMissing);
    await sleep(LIMITS.publishBackoffMsMin);
    return;
  }
  try {
    if (await isDead(path)) await unlink(path).catch(ignoreMissing);
  } finally {
    await unlink(guard).catch(ignoreMissing);
  }
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
