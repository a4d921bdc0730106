/**
 * The objects of one repository on disk: the only importer of isomorphic-git. Loose objects are read here with a bound;
 * packs are read by isomorphic-git with one shared cache, which is replaced when the set of packs has changed (native git
 * may push, repack and prune beside us at any time).
 */
import { readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import * as isomorphicGit from "isomorphic-git";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { looseObjectPath, readLooseObject, toLooseObject } from "./loose-object.ts";
import { buildObjectFs } from "./object-fs.ts";
import type { GitObject, ObjectStore, ObjectType } from "./objects.ts";
import type { GitId } from "./port.ts";
import { errorCodeOf, isMissing } from "./translate-git-error.ts";

interface Packs {
  readonly names: readonly string[];
  readonly fs: ReturnType<typeof buildObjectFs>;
  readonly cache: object;
}

/** How often a read looks again because a pack was replaced under it. */
const PACK_LOOKS_MAX = 3;

export async function openObjectStore(gitDir: string): Promise<ObjectStore> {
  let packs = await lookAtPacks(gitDir);

  async function refresh(): Promise<void> {
    const now = await lookAtPacks(gitDir);
    if (now.names.join() !== packs.names.join()) packs = now;
  }

  async function read(id: GitId, sizeBytesMax: number): Promise<GitObject | null> {
    for (let look = 1; ; look += 1) {
      const seen = packs;
      const object = (await readLooseObject(gitDir, id, sizeBytesMax)) ?? (await readPackedOrLookAgain(id, look));
      if (object === "look again") continue;
      if (object !== null) return assertWithin(id, object, sizeBytesMax);
      await refresh();
      if (packs === seen || look === PACK_LOOKS_MAX) return null;
    }
  }

  /** A pack that native git has just replaced fails in many ways; the same object is then in another one. */
  async function readPackedOrLookAgain(id: GitId, look: number): Promise<GitObject | null | "look again"> {
    try {
      return await readPacked(gitDir, id, packs);
    } catch (error) {
      if (look === PACK_LOOKS_MAX) throw error;
      packs = await lookAtPacks(gitDir);
      return "look again";
    }
  }

  async function write(type: ObjectType, content: Uint8Array): Promise<GitId> {
    const object = toLooseObject(type, content);
    if (await freshen(looseObjectPath(gitDir, object.id))) return object.id;
    return isomorphicGit.writeObject({
      fs: packs.fs,
      gitdir: gitDir,
      format: "deflated",
      oid: object.id,
      object: object.deflated(),
    });
  }

  async function readBlobs(ids: readonly GitId[], sizeBytesMax: number) {
    const found = new Map<GitId, Uint8Array | null>();
    const waiting = [...new Set(ids)];
    const take = async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const content = await readBlob(id, sizeBytesMax);
        if (content !== undefined) found.set(id, content);
      }
    };
    await Promise.all(Array.from({ length: LIMITS.gitReadsAtOnceMax }, take));
    return found;
  }

  /** Undefined where the id names no sound blob: one bad object must not hide the others. */
  async function readBlob(id: GitId, sizeBytesMax: number): Promise<Uint8Array | null | undefined> {
    try {
      const object = await read(id, sizeBytesMax);
      return object?.type === "blob" ? object.content : undefined;
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === "too_large") return null;
      if (code === "repository_damaged" || code === "InternalError") return undefined;
      throw error;
    }
  }

  return { read, readBlobs, write, refresh };
}

/** Packs without an index, or with an empty one (a power cut), would make isomorphic-git fail on every packed object. */
async function lookAtPacks(gitDir: string): Promise<Packs> {
  const folder = join(gitDir, "objects", "pack");
  const names = new Set(await readdir(folder).catch(emptyWhenMissing));
  const usable: string[] = [];
  for (const name of [...names].sort()) {
    if (!name.endsWith(".idx") || !names.has(name.replace(/idx$/u, "pack"))) continue;
    const size = await stat(join(folder, name)).then(
      (found) => found.size,
      () => 0,
    );
    if (size > 0) usable.push(name);
  }
  return { names: usable, fs: buildObjectFs(gitDir, usable), cache: {} };
}

function emptyWhenMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}

async function readPacked(gitDir: string, id: GitId, packs: Packs): Promise<GitObject | null> {
  if (packs.names.length === 0) return null;
  try {
    const found = await isomorphicGit.readObject({
      fs: packs.fs,
      gitdir: gitDir,
      oid: id,
      format: "content",
      cache: packs.cache,
    });
    return { type: found.type as ObjectType, content: Buffer.from(found.object as Uint8Array) };
  } catch (error) {
    if (errorCodeOf(error) === "NotFoundError") return null;
    throw error;
  }
}

function assertWithin(id: GitId, object: GitObject, sizeBytesMax: number): GitObject {
  if (object.content.length <= sizeBytesMax) return object;
  throw new TeamMemoryError("too_large", `could not read object ${id}: it is larger than ${sizeBytesMax} bytes`);
}

/** A new time keeps git's prune, which spares young objects, from removing one that is about to be referred to. */
async function freshen(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).size === 0) return false;
    const now = new Date();
    await utimes(path, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
