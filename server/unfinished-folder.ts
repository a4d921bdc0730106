/**
 * Where a backup and a restore are made, beside the place that they are for: a folder that its owner alone may enter,
 * so that nothing in it is ever another's to read. It says which process made it; one that a kill left is taken away by
 * whoever comes next.
 */
import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LIMITS } from "../shared/limits.ts";
import { toAgeMs } from "../shared/to-age-ms.ts";
import { OWN_LOCK_TEXT, ownerState } from "./git/lock-owner.ts";
import { diskError, readFileIfThere } from "./private-file.ts";

export interface UnfinishedFolder {
  readonly path: string;
  remove(): Promise<void>;
}

const NAME = /^\.team-memory-[0-9a-f]{16}\.unfinished$/;
const OWNER_FILE = "owner";

/**
 * A new one beside `target`; what others have left there goes first.
 * @throws TeamMemoryError disk, disk_full
 */
export async function openUnfinishedFolder(target: string): Promise<UnfinishedFolder> {
  const parent = dirname(target);
  await sweepUnfinished(parent);
  const path = join(parent, `.team-memory-${randomBytes(8).toString("hex")}.unfinished`);
  try {
    await mkdir(path, { mode: 0o700 });
    await writeFile(join(path, OWNER_FILE), OWN_LOCK_TEXT, { mode: 0o600 });
  } catch (error) {
    throw diskError("write", target, error);
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Takes away what backups and restores have left in a folder when they were killed: its paths. What cannot be is left. */
export async function sweepUnfinished(parent: string): Promise<readonly string[]> {
  const names = await readdir(parent).catch(() => []);
  const swept: string[] = [];
  for (const name of names.filter((one) => NAME.test(one))) {
    const path = join(parent, name);
    if (await removeIfDead(path).catch(() => false)) swept.push(path);
  }
  return swept;
}

/** In a folder that many write to, the name alone is no sign: only what this user has made is taken away. */
async function removeIfDead(path: string): Promise<boolean> {
  const seen = await lstat(path);
  if (!seen.isDirectory() || seen.uid !== process.getuid?.()) return false;
  const isOld = toAgeMs(seen) > LIMITS.unfinishedFolderAgeMs;
  const owner = await readFileIfThere(join(path, OWNER_FILE));
  const state = owner === null ? "unknown" : ownerState(owner);
  if (state === "alive" || (state === "unknown" && !isOld)) return false;
  // Killed before it had its owner's name, it is empty.
  await (owner === null ? rmdir(path) : rm(path, { recursive: true, force: true }));
  return true;
}
