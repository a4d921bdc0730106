/**
 * The lock on the data folder: one `serve` at a time. `token`, `invite` and `backup` work beside it, because the
 * repository's references are compared and swapped.
 *
 * A lock is a numbered file; a number whose process lives holds the folder. A dead holder's is never taken away from under
 * somebody (two who do that at once would take away each other's): whoever comes next creates the next number, which
 * only one can. Numbers never fall, so a slow one finds itself overtaken when it looks again.
 */
import { lstat, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { LIMITS } from "../shared/limits.ts";
import { OWN_LOCK_TEXT, ownerState } from "./git/lock-owner.ts";
import {
  createPrivateFile,
  diskError,
  isErrno,
  makePrivateFolder,
  readFileIfThere,
  replacePrivateFile,
} from "./private-file.ts";

export interface DataFolderLock {
  release(): Promise<void>;
}

export interface LockOptions {
  /** How long a holder that cannot be seen is watched for a beat. */
  readonly silentMs?: number;
  /** Told before such a wait. */
  readonly onWatch?: () => void;
  /** Called at most once: this process was silent for so long that another one has the folder now. */
  readonly onLost?: () => void;
}

const RELEASED = "released\n";

/** @throws TeamMemoryError data_folder_busy naming the holder, disk, disk_full */
export async function lockDataFolder(
  dataFolder: string,
  publicUrl: string,
  options: LockOptions = {},
): Promise<DataFolderLock> {
  const folder = lockFolderOf(dataFolder);
  await makePrivateFolder(folder);
  for (let tried = 0; tried < LIMITS.dataFolderLockAttemptsMax; tried += 1) {
    const number = await tryLock(folder, options);
    if (number === null) continue;
    await replacePrivateFile(urlFileOf(folder), publicUrl);
    return keepLock(folder, number, options);
  }
  throw new TeamMemoryError("data_folder_busy", `Could not lock ${dataFolder}: others keep taking it`);
}

/** The address that a running service gives out, or null where none runs. */
export async function readRunningUrl(dataFolder: string): Promise<string | null> {
  const folder = lockFolderOf(dataFolder);
  if ((await findHolder(folder, hasNotBeaten)) === null) return null;
  const url = await readPlainFile(urlFileOf(folder));
  return url !== null && URL.canParse(url) ? url : null;
}

export function lockFolderOf(dataFolder: string): string {
  return join(dataFolder, "serve-lock");
}

function urlFileOf(folder: string): string {
  return join(folder, "url");
}

/** The number taken, or null when somebody else was quicker. */
async function tryLock(folder: string, { silentMs = LIMITS.dataFolderSilentMs, onWatch }: LockOptions) {
  const number = (await readHighest(folder)) + 1;
  const holder = await findHolder(folder, (path) => {
    onWatch?.();
    return isSilent(path, silentMs);
  });
  if (holder !== null) throw busy(folder, holder);
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
function keepLock(folder: string, number: number, { onLost = () => {} }: LockOptions): DataFolderLock {
  const path = join(folder, String(number));
  const beat = async () => {
    if (await beatOnce(folder, path).catch(() => true)) return;
    clearInterval(heartbeat);
    onLost();
  };
  const heartbeat = setInterval(() => void beat(), LIMITS.lockHeartbeatMs).unref();
  return {
    release: async () => {
      clearInterval(heartbeat);
      // A failure is no harm: a process that is gone holds nothing.
      await writeFile(path, RELEASED).catch(() => undefined);
    },
  };
}

/** Whether the folder is ours still. A lock that somebody has swept away without taking the folder is put back. */
async function beatOnce(folder: string, path: string): Promise<boolean> {
  try {
    await utimes(path, new Date(), new Date());
    return true;
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
    return (await findHolder(folder, hasNotBeaten)) === null && createPrivateFile(path, OWN_LOCK_TEXT);
  }
}

/** Process id of whoever holds the folder, or null. `isGone` judges a holder whose process cannot be seen from here. */
async function findHolder(folder: string, isGone: (path: string) => Promise<boolean>): Promise<string | null> {
  const paths = (await readNumbers(folder)).map((number) => join(folder, String(number)));
  const holders = await Promise.all(paths.map((path) => readHolder(path, isGone)));
  return holders.find((holder) => holder !== null) ?? null;
}

async function readHolder(path: string, isGone: (path: string) => Promise<boolean>): Promise<string | null> {
  const text = await readPlainFile(path);
  if (text === null || text === "" || text === RELEASED) return null;
  const state = ownerState(text);
  if (state === "gone" || (state === "unknown" && (await isGone(path)))) return null;
  return /"pid":(\d+)/.exec(text)?.[1] ?? "of another machine";
}

/** Null also where a folder or a pipe stands in a file's place: nobody holds anything by those, and a pipe is not waited for. */
async function readPlainFile(path: string): Promise<string | null> {
  const seen = await lstat(path).catch(() => null);
  return seen?.isFile() ? readFileIfThere(path) : null;
}

/** Watched, for what another machine's clock says may lie in the past or in the future. */
async function isSilent(path: string, silentMs: number): Promise<boolean> {
  const first = await readBeat(path);
  const until = performance.now() + silentMs;
  while (performance.now() < until) {
    await sleep(Math.min(silentMs, LIMITS.dataFolderWatchMs));
    const beat = await readBeat(path);
    if (beat === null) return true;
    if (beat !== first) return false;
  }
  return true;
}

/** The same at a glance, for what is not worth a wait. */
async function hasNotBeaten(path: string): Promise<boolean> {
  const beat = await readBeat(path);
  return beat === null || Math.abs(Date.now() - beat) > LIMITS.dataFolderSilentMs;
}

async function readBeat(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? null;
}

async function readNumbers(folder: string): Promise<readonly number[]> {
  try {
    return (await readdir(folder)).filter((name) => /^\d{1,9}$/.test(name)).map(Number);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw diskError("read", folder, error);
  }
}

async function readHighest(folder: string): Promise<number> {
  return Math.max(0, ...(await readNumbers(folder)));
}

async function removeBelow(folder: string, number: number): Promise<void> {
  const older = (await readNumbers(folder)).filter((other) => other < number);
  // What stays is no lock: a folder in a lock's place.
  await Promise.all(older.map((other) => rm(join(folder, String(other)), { force: true }).catch(() => undefined)));
}
