/**
 * The lock on the data folder: one `serve` at a time. `token`, `invite` and `backup` work beside it, because the
 * repository's references are compared and swapped.
 *
 * A lock is a numbered file; the highest number whose process lives holds the folder. A dead holder's is never taken
 * away from under somebody (two who do that at once would take away each other's): whoever comes next creates the
 * next number, which only one can. Numbers never fall, so a slow one finds itself overtaken when it looks again.
 */
import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { LIMITS } from "../shared/limits.ts";
import { OWN_LOCK_TEXT, ownerState } from "./git/lock-owner.ts";
import { createPrivateFile, makePrivateFolder, readFileIfThere } from "./private-file.ts";

export interface DataFolderLock {
  release(): Promise<void>;
}

const RELEASED = "released\n";

/** @throws TeamMemoryError data_folder_busy naming the holder, disk */
export async function lockDataFolder(dataFolder: string, publicUrl: string): Promise<DataFolderLock> {
  const folder = lockFolderOf(dataFolder);
  await makePrivateFolder(folder);
  for (let tried = 0; tried < LIMITS.dataFolderLockAttemptsMax; tried += 1) {
    const number = await tryLock(folder);
    if (number === null) continue;
    await writeFile(urlFileOf(folder), publicUrl, { mode: 0o600 });
    return keepLock(join(folder, String(number)));
  }
  throw new TeamMemoryError("data_folder_busy", `Could not lock ${dataFolder}: others keep taking it`);
}

/** The address that a running service gives out, or null where none runs. */
export async function readRunningUrl(dataFolder: string): Promise<string | null> {
  const folder = lockFolderOf(dataFolder);
  const held = await readHolder(folder, await readHighest(folder));
  return held === null ? null : readFileIfThere(urlFileOf(folder));
}

export function lockFolderOf(dataFolder: string): string {
  return join(dataFolder, "serve-lock");
}

function urlFileOf(folder: string): string {
  return join(folder, "url");
}

/** The number taken, or null when somebody else was quicker. */
async function tryLock(folder: string): Promise<number | null> {
  const highest = await readHighest(folder);
  const holder = await readHolder(folder, highest);
  if (holder !== null) throw busy(folder, holder);
  const number = highest + 1;
  const path = join(folder, String(number));
  if (!(await createPrivateFile(path, OWN_LOCK_TEXT))) return null;
  if ((await readHighest(folder)) !== number) {
    await rm(path, { force: true });
    return null;
  }
  await removeBelow(folder, number);
  return number;
}

function busy(folder: string, holder: string): TeamMemoryError {
  return new TeamMemoryError("data_folder_busy", `Could not lock ${folder}: process ${holder} serves it`, {
    details: { pid: holder },
  });
}

/** Beats, for those who cannot see this process: another container, another machine on the same disk. */
function keepLock(path: string): DataFolderLock {
  const beat = () => void utimes(path, new Date(), new Date()).catch(() => undefined);
  const heartbeat = setInterval(beat, LIMITS.lockHeartbeatMs).unref();
  return {
    release: async () => {
      clearInterval(heartbeat);
      // A failure is no harm: a process that is gone holds nothing.
      await writeFile(path, RELEASED).catch(() => undefined);
    },
  };
}

/** Process id of whoever holds the numbered lock; null: nobody, or a process that is gone. */
async function readHolder(folder: string, number: number): Promise<string | null> {
  const path = join(folder, String(number));
  const text = number === 0 ? null : await readFileIfThere(path);
  if (text === null || text === RELEASED) return null;
  const state = ownerState(text);
  if (state === "gone" || (state === "unknown" && (await isSilent(path)))) return null;
  return /"pid":(\d+)/.exec(text)?.[1] ?? "of another machine";
}

async function isSilent(path: string): Promise<boolean> {
  const beat = await stat(path).catch(() => null);
  return beat === null || Date.now() - beat.mtimeMs > LIMITS.dataFolderSilentMs;
}

async function readNumbers(folder: string): Promise<readonly number[]> {
  try {
    return (await readdir(folder)).filter((name) => /^\d{1,9}$/.test(name)).map(Number);
  } catch {
    return [];
  }
}

async function readHighest(folder: string): Promise<number> {
  return Math.max(0, ...(await readNumbers(folder)));
}

async function removeBelow(folder: string, number: number): Promise<void> {
  const older = (await readNumbers(folder)).filter((other) => other < number);
  await Promise.all(older.map((other) => rm(join(folder, String(other)), { force: true })));
}
