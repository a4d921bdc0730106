/**
 * A pack from the remote becomes part of the mirror whole or not at all: its bytes are hashed as they arrive, it is indexed
 * where it lies, and it counts only once its index is there. What a kill leaves is swept, or indexed, at the next start.
 */
import { createHash, type Hash, randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { syncFolderOf } from "../atomic-file.ts";
import { type GitBinary, runGit } from "../git-binary.ts";
import { indexPackFile } from "../isomorphic-objects.ts";
import type { GitId } from "../port.ts";
import { isConnected } from "./is-connected.ts";

const HEADER_SIZE_BYTES = 12;
const TRAILER_SIZE_BYTES = 20;

interface Arrival {
  readonly gitDir: string;
  readonly git: GitBinary | null;
  /** What the pack must lead to, given all that `haves` lead to. */
  readonly wants: Iterable<GitId>;
  readonly haves: readonly GitId[];
}

/** Throws `remote_unreachable` for a pack that is cut or damaged, and what `chunks` throw; nothing is left then. */
export async function storePack(arrival: Arrival, chunks: AsyncIterable<Buffer>): Promise<void> {
  const { gitDir } = arrival;
  const folder = join(gitDir, "objects", "pack");
  const temp = join(folder, `tmp_pack_${randomBytes(8).toString("hex")}`);
  try {
    const { name, objectCount } = await writePack(temp, chunks);
    if (objectCount === 0) return;
    const path = join(folder, `pack-${name}.pack`);
    await rename(temp, path);
    await syncFolderOf(path);
    await take(arrival, path);
  } finally {
    await rm(temp, { force: true });
  }
}

async function writePack(path: string, chunks: AsyncIterable<Buffer>): Promise<{ name: string; objectCount: number }> {
  const file = await open(path, "wx", 0o444);
  try {
    const hash = createHash("sha1");
    const head = Buffer.alloc(HEADER_SIZE_BYTES);
    let sizeBytes = 0;
    let tail: Buffer = Buffer.alloc(0);
    for await (const chunk of chunks) {
      if (sizeBytes < HEADER_SIZE_BYTES) chunk.copy(head, sizeBytes);
      sizeBytes += chunk.length;
      tail = hashAllButTrailer(hash, Buffer.concat([tail, chunk]));
      await writeAll(file, chunk);
    }
    await file.sync();
    const name = hash.digest("hex");
    if (head.toString("latin1", 0, 4) !== "PACK" || tail.toString("hex") !== name) throw damaged();
    return { name, objectCount: head.readUInt32BE(8) };
  } finally {
    await file.close();
  }
}

/** The last bytes are the hash of all before them; which are the last is known at the end. */
function hashAllButTrailer(hash: Hash, bytes: Buffer): Buffer {
  const end = Math.max(0, bytes.length - TRAILER_SIZE_BYTES);
  hash.update(bytes.subarray(0, end));
  return bytes.subarray(end);
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

/** A pack goes again whose objects are not what they claim, or lead to ones that are neither in it nor here. */
async function take({ gitDir, git, wants, haves }: Arrival, path: string): Promise<void> {
  try {
    if (git === null) {
      await indexPackFile(gitDir, path);
      if (await isConnected({ gitDir, path, wants })) return;
      throw damaged();
    }
    const run = (args: readonly string[], input = "") =>
      runGit(git, [`--git-dir=${gitDir}`, ...args], { input, timeoutMs: LIMITS.remoteRequestTimeoutMs });
    await run(["index-pack", `--max-input-size=${LIMITS.remotePackSizeBytesMax}`, path]);
    const revisions = [...wants, ...haves.map((id) => `^${id}`)].join("\n");
    await run(["rev-list", "--objects", "--quiet", "--stdin"], `${revisions}\n`);
  } catch (error) {
    await rm(path.replace(/pack$/u, "idx"), { force: true });
    await rm(path, { force: true });
    if (isTeamMemoryError(error) && error.code !== "internal") throw error;
    throw damaged();
  }
}

function damaged(): TeamMemoryError {
  return new TeamMemoryError("remote_unreachable", "could not fetch: the remote's pack arrived damaged");
}
