/**
 * Loose objects, read with a bound on what they inflate to: a few kilobytes on disk may claim to be gigabytes. An empty
 * file, which is what a power cut can leave, counts as no object, so that the next write of the same content heals it.
 */
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { GitObject, ObjectType } from "./objects.ts";
import type { GitId } from "./port.ts";
import { errorCodeOf, isMissing } from "./translate-git-error.ts";

/** `commit <ten digits>\0` and some. */
const HEADER_SIZE_BYTES_MAX = 32;

export function looseObjectPath(gitDir: string, id: GitId): string {
  return join(gitDir, "objects", id.slice(0, 2), id.slice(2));
}

/** Null where the object is not loose. Throws `too_large` and `repository_damaged`. */
export async function readLooseObject(gitDir: string, id: GitId, sizeBytesMax: number): Promise<GitObject | null> {
  const deflated = await readBounded(looseObjectPath(gitDir, id), sizeBytesMax, id);
  return deflated === null || deflated.length === 0 ? null : parseLooseObject(id, deflated, sizeBytesMax);
}

async function readBounded(path: string, sizeBytesMax: number, id: GitId): Promise<Buffer | null> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    const { size } = await file.stat();
    if (size > deflatedSizeBytesMax(sizeBytesMax)) throw tooLarge(id, sizeBytesMax);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Deflate never adds more than a few bytes a block. */
function deflatedSizeBytesMax(sizeBytesMax: number): number {
  return sizeBytesMax + (sizeBytesMax >> 6) + 1024;
}

function parseLooseObject(id: GitId, deflated: Buffer, sizeBytesMax: number): GitObject {
  const bytes = inflateBounded(id, deflated, sizeBytesMax);
  const nul = bytes.indexOf(0);
  const header = /^(?<type>blob|tree|commit|tag) (?<size>\d+)$/u.exec(bytes.toString("latin1", 0, Math.max(nul, 0)));
  const content = bytes.subarray(nul + 1);
  if (header?.groups?.["size"] !== String(content.length) || hashOf(bytes) !== id) throw damaged(id);
  if (content.length > sizeBytesMax) throw tooLarge(id, sizeBytesMax);
  return { type: header.groups["type"] as ObjectType, content };
}

function inflateBounded(id: GitId, deflated: Buffer, sizeBytesMax: number): Buffer {
  try {
    return inflateSync(deflated, { maxOutputLength: sizeBytesMax + HEADER_SIZE_BYTES_MAX });
  } catch (error) {
    throw errorCodeOf(error) === "ERR_BUFFER_TOO_LARGE" ? tooLarge(id, sizeBytesMax) : damaged(id, error);
  }
}

/** The id under which git knows a content. */
export function objectIdOf(type: ObjectType, content: Uint8Array): GitId {
  return hashOf(withHeader(type, content));
}

/** An object's bytes as they lie in a loose file. */
export function toLooseObject(type: ObjectType, content: Uint8Array): Buffer {
  return deflateSync(withHeader(type, content));
}

function withHeader(type: ObjectType, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
}

function hashOf(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("hex");
}

function tooLarge(id: GitId, sizeBytesMax: number): TeamMemoryError {
  return new TeamMemoryError("too_large", `could not read object ${id}: it is larger than ${sizeBytesMax} bytes`);
}

function damaged(id: GitId, cause?: unknown): TeamMemoryError {
  return new TeamMemoryError("repository_damaged", `could not read object ${id}: its file is damaged`, { cause });
}
