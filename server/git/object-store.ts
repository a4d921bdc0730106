/**
 * The objects of one repository on disk, loose before packed. Native git may push, repack and prune beside us at any time,
 * so an object that is not found is looked for again in the packs that there are by then.
 */
import { utimes } from "node:fs/promises";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { GitBinary } from "./git-binary.ts";
import { lookAtPacks, type Packs, readPackedObject, writeLooseObject } from "./isomorphic-objects.ts";
import { looseObjectPath, objectIdOf, readLooseObject, toLooseObject } from "./loose-object.ts";
import type { GitObject, ObjectStore, ObjectType } from "./objects.ts";
import type { GitId } from "./port.ts";
import { readBlobs } from "./read-blobs.ts";
import { errorCodeOf, isMissing } from "./translate-git-error.ts";

/** How often a read looks again because a pack was replaced under it. */
const LOOKS_MAX = 3;

/** With a git binary, packed blobs are read through it: their size is known before their content is inflated. */
export async function openObjectStore(gitDir: string, git: GitBinary | null): Promise<ObjectStore> {
  let packs = await lookAtPacks(gitDir);

  async function refresh(): Promise<void> {
    const now = await lookAtPacks(gitDir);
    if (now.names.join() !== packs.names.join()) packs = now;
  }

  async function read(id: GitId, sizeBytesMax: number): Promise<GitObject | null> {
    const loose = await readLooseObject(gitDir, id, sizeBytesMax);
    return loose ?? readPacked(id, sizeBytesMax);
  }

  /** What was packed, repacked or unpacked between two looks is found by the next; what fails although nothing moved is damaged. */
  async function readPacked(id: GitId, sizeBytesMax: number): Promise<GitObject | null> {
    for (let look = 1; ; look += 1) {
      const seen = packs;
      const { object, error } = await tryPacked(seen, id);
      if (object !== null) return assertWithin(id, object, sizeBytesMax);
      await refresh();
      if (packs !== seen && look < LOOKS_MAX) continue;
      if (error !== null) throw error;
      return readLooseObject(gitDir, id, sizeBytesMax);
    }
  }

  async function write(type: ObjectType, content: Uint8Array): Promise<GitId> {
    const id = objectIdOf(type, content);
    const there = (await isWritten(gitDir, id, content.length)) && (await freshen(gitDir, id));
    if (!there) await writeLooseObject(gitDir, id, toLooseObject(type, content));
    return id;
  }

  return {
    read,
    readBlobs: (ids, sizeBytesMax) => readBlobs({ gitDir, git, readPacked }, ids, sizeBytesMax),
    write,
    refresh,
  };
}

async function tryPacked(packs: Packs, id: GitId): Promise<{ object: GitObject | null; error: unknown }> {
  try {
    return { object: await readPackedObject(packs, id), error: null };
  } catch (error) {
    return { object: null, error };
  }
}

function assertWithin(id: GitId, object: GitObject, sizeBytesMax: number): GitObject {
  if (object.content.length <= sizeBytesMax) return object;
  throw new TeamMemoryError("too_large", `could not read object ${id}: it is larger than ${sizeBytesMax} bytes`);
}

/** A file that is empty or damaged does not count: writing the same content again heals it. */
async function isWritten(gitDir: string, id: GitId, sizeBytes: number): Promise<boolean> {
  try {
    return (await readLooseObject(gitDir, id, sizeBytes)) !== null;
  } catch (error) {
    if (errorCodeOf(error) === "repository_damaged") return false;
    throw error;
  }
}

/** A new time keeps git's prune, which spares young objects, from removing one that is about to be referred to. */
async function freshen(gitDir: string, id: GitId): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(looseObjectPath(gitDir, id), now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
