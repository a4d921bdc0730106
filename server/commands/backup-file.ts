/**
 * A backup is one file: a line of JSON with the format, the secret and the admin's token, then a git bundle with every
 * reference, people and tokens among them. `tail -n +2 FILE > memory.bundle` gives what any git can clone.
 */
import { constants, createReadStream, createWriteStream } from "node:fs";
import { link, lstat, open, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { syncFolderOf } from "../git/atomic-file.ts";
import { isMissing } from "../git/translate-git-error.ts";
import { diskError, isErrno } from "../private-file.ts";

const headSchema = z.strictObject({
  teamMemoryBackup: z.literal(1),
  createdAt: z.string(),
  version: z.string(),
  secret: z.string().min(32),
  adminToken: z.string().nullable(),
});

export type BackupHead = z.infer<typeof headSchema>;

/** A first line is a few hundred bytes; a file without one is no backup. */
const HEAD_SIZE_BYTES_MAX = 64 * 1024;

/**
 * A new file that its owner alone may read, for it holds the key to every token; on the disk when this returns.
 * @throws TeamMemoryError disk, disk_full
 */
export async function writeBackup(path: string, head: BackupHead, bundlePath: string): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(head)}\n`, { mode: 0o600, flag: "wx" });
    await pipeline(createReadStream(bundlePath), createWriteStream(path, { flags: "a", flush: true }));
  } catch (error) {
    throw diskError("write", path, error);
  }
}

/**
 * Before any work is done: what lies there already is not gone over unless that was asked for, and no folder is made.
 * @throws TeamMemoryError target_exists, not_found, disk
 */
export async function assertPlaceFor(path: string, mayReplace: boolean): Promise<void> {
  const seen = await lstat(path).catch(async (error: unknown) => {
    if (!isMissing(error)) throw diskError("write", path, error);
    const parent = await stat(dirname(path)).catch(() => null);
    if (parent?.isDirectory()) return null;
    throw new TeamMemoryError("not_found", `Could not write ${path}: there is no such folder`, { details: { path } });
  });
  if (seen === null || (mayReplace && !seen.isDirectory())) return;
  throw alreadyThere(path, seen.isDirectory() ? "a folder of that name" : "a file");
}

/**
 * A finished backup, moved to its place on the same disk: whole or not at all.
 * @throws TeamMemoryError target_exists when somebody was there first, disk, disk_full
 */
export async function placeBackup(finished: string, path: string, mayReplace: boolean): Promise<void> {
  try {
    await (mayReplace ? rename(finished, path) : placeNew(finished, path));
    await syncFolderOf(path);
  } catch (error) {
    throw isErrno(error, "EEXIST") ? alreadyThere(path, "a file") : diskError("write", path, error);
  }
}

/** A link goes over nothing. Some disks that backups go to have none: there a look comes first. */
async function placeNew(finished: string, path: string): Promise<void> {
  try {
    await link(finished, path);
  } catch (error) {
    if (!NO_LINKS.some((code) => isErrno(error, code))) throw error;
    await assertPlaceFor(path, false);
    await rename(finished, path);
  }
}

const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

function alreadyThere(path: string, what: string): TeamMemoryError {
  return new TeamMemoryError("target_exists", `Could not write ${path}: ${what} is there already`, {
    details: { path },
  });
}

/**
 * The head; the bundle goes to a file of its own.
 * @throws TeamMemoryError not_found, bad_request, disk
 */
export async function readBackup(path: string, bundlePath: string): Promise<BackupHead> {
  const line = await readFirstLine(path).catch((error: unknown) => {
    if (isMissing(error))
      throw new TeamMemoryError("not_found", `Could not read ${path}: there is no such file`, { details: { path } });
    throw diskError("read", path, error);
  });
  const head = parseHead(path, line);
  const start = Buffer.byteLength(line) + 1;
  try {
    await pipeline(createReadStream(path, { start }), createWriteStream(bundlePath, { mode: 0o600, flags: "wx" }));
  } catch (error) {
    throw diskError("unpack", path, error);
  }
  return head;
}

/** Nothing of what is no plain file, and a pipe is not waited for. */
async function readFirstLine(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return "";
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(HEAD_SIZE_BYTES_MAX) });
    const end = buffer.subarray(0, bytesRead).indexOf("\n");
    return end < 0 ? "" : buffer.toString("utf8", 0, end);
  } finally {
    await file.close();
  }
}

/** The problem is never quoted: the line holds the secret. */
function parseHead(path: string, line: string): BackupHead {
  try {
    return headSchema.parse(JSON.parse(line));
  } catch {
    throw new TeamMemoryError("bad_request", `Could not read ${path}: it is no backup that this version understands`);
  }
}
