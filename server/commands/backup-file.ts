/**
 * A backup is one file: a line of JSON with the format, the secret and the admin's token, then a git bundle with every
 * reference, people and tokens among them. `tail -n +2 FILE > memory.bundle` gives what any git can clone.
 */
import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { diskError } from "../private-file.ts";

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
 * Whole or not at all, readable by its owner alone: it holds the key to every token.
 * @throws TeamMemoryError disk, disk_full
 */
export async function writeBackup(path: string, head: BackupHead, bundlePath: string): Promise<void> {
  const temp = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    await writeFile(temp, `${JSON.stringify(head)}\n`, { mode: 0o600, flag: "wx" });
    await pipeline(createReadStream(bundlePath), createWriteStream(temp, { flags: "a", flush: true }));
    await rename(temp, path);
  } catch (error) {
    throw diskError("write", path, error);
  } finally {
    await rm(temp, { force: true });
  }
}

/**
 * The head; the bundle goes to a file of its own.
 * @throws TeamMemoryError bad_request, disk
 */
export async function readBackup(path: string, bundlePath: string): Promise<BackupHead> {
  const line = await readFirstLine(path).catch((error) => {
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

async function readFirstLine(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
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
