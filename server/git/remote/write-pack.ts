/** A pack of whole objects, as a push carries it: no deltas, for memories are small and so are the trees above them. */
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { GitObject, ObjectStore, ObjectType } from "../objects.ts";
import type { GitId } from "../port.ts";
import { parseRawCommit } from "../raw-commit.ts";
import { parseRawTree } from "../raw-tree.ts";

const TYPE_NUMBERS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };

/** Throws `too_large` past the bound of a push. */
export function toPack(objects: readonly GitObject[]): Buffer {
  const head = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1");
  head.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([head, ...objects.flatMap(toPacked)]);
  if (body.length > LIMITS.gitPushSizeBytesMax) throw tooLarge();
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** Four bits of the size beside the type, then seven a byte, the lowest first; the high bit says that more follow. */
function toPacked({ type, content }: GitObject): [Buffer, Buffer] {
  const head: number[] = [];
  let byte = (TYPE_NUMBERS[type] << 4) | (content.length & 15);
  for (let rest = content.length >> 4; rest > 0; rest >>= 7) {
    head.push(byte | 128);
    byte = rest & 127;
  }
  return [Buffer.from([...head, byte]), deflateSync(content)];
}

/** What `heads` lead to, as far as `isUnsent` says so: what it does not name is on the remote, and so is all below it. */
export async function collectUnsent(
  objects: ObjectStore,
  heads: readonly GitId[],
  isUnsent: (id: GitId) => boolean,
): Promise<ReadonlyMap<GitId, GitObject>> {
  const found = new Map<GitId, GitObject>();
  const waiting = [...heads];
  let sizeBytes = 0;
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id) || !isUnsent(id)) continue;
    const object = await readWhole(objects, id);
    sizeBytes += object.content.length;
    if (sizeBytes > LIMITS.gitPushSizeBytesMax * 2) throw tooLarge();
    found.set(id, object);
    waiting.push(...childrenOf(id, object));
  }
  return found;
}

async function readWhole(objects: ObjectStore, id: GitId): Promise<GitObject> {
  const object = await objects.read(id, LIMITS.gitPushSizeBytesMax);
  if (object !== null) return object;
  throw new TeamMemoryError("repository_damaged", `could not read object ${id}: it is missing`);
}

function childrenOf(id: GitId, { type, content }: GitObject): readonly GitId[] {
  if (type === "tree") return parseRawTree(content, LIMITS.treeEntriesMax).map((entry) => entry.id);
  if (type !== "commit") return [];
  const { tree, parents } = parseRawCommit(id, content);
  return [tree, ...parents];
}

function tooLarge(): TeamMemoryError {
  return new TeamMemoryError("too_large", `could not push more than ${LIMITS.gitPushSizeBytesMax} bytes at once`);
}
