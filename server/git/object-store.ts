/**
 * The objects of one repository on disk, loose before packed. Native git may push, repack and prune beside us at any time,
 * so an object that is not found is looked for again in the packs that there are by then.
 */
import { utimes } from "node:fs/promises";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { GitBinary } from "./git-binary.ts";
import { buildGitReader, type GitReader } from "./git-reader.ts";
import { lookAtPacks, type Packs, readPackedObject, writeLooseObject } from "./isomorphic-objects.ts";
import { looseObjectPath, objectIdOf, readLooseObject, toLooseObject } from "./loose-object.ts";
import type { GitObject, ObjectStore, ObjectType } from "./objects.ts";
import type { GitId } from "./port.ts";
import { readBlobs } from "./read-blobs.ts";
import { errorCodeOf, isMissing, translateGitError } from "./translate-git-error.ts";

/** Looks at a repository that keeps changing: repacking takes far longer than looking. */
const LOOKS_MAX = 10;

/** Looks in a row that show the same packs before an object counts as missing: one listing may fall into a repack. */
const CALM_LOOKS = 3;

/** With a git binary, what is packed is read through it: sizes are known before contents are inflated, packs stay on the disk. */
export async function openObjectStore(gitDir: string, git: GitBinary | null): Promise<ObjectStore> {
  const reader = git === null ? null : buildGitReader(git, gitDir);
  let packs = await lookAtPacks(gitDir);

  async function refresh(): Promise<void> {
    const now = await lookAtPacks(gitDir);
    if (now.names.join() !== packs.names.join()) packs = now;
  }

  /** What is packed, repacked or unpacked between two looks is found by the next. */
  async function read(id: GitId, sizeBytesMax: number): Promise<GitObject | null> {
    for (let look = 1, calm = 1; ; look += 1) {
      const seen = packs;
      const { object, error } = await tryRead({ packs: seen, reader }, id, sizeBytesMax);
      if (object !== null) return assertWithin(id, object, sizeBytesMax);
      await refresh();
      calm = packs === seen ? calm + 1 : 1;
      if (calm < CALM_LOOKS && look < LOOKS_MAX) continue;
      if (error !== null) throw unreadable(id, calm < CALM_LOOKS, error);
      return null;
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
    readBlobs: (ids, sizeBytesMax) => readBlobs({ gitDir, git, read }, ids, sizeBytesMax),
    write,
    refresh,
  };
}

interface Sources {
  readonly packs: Packs;
  readonly reader: GitReader | null;
}

/** Errors of the loose object are final; those of a pack may mean that it has just been replaced. */
async function tryRead(
  { packs, reader }: Sources,
  id: GitId,
  sizeBytesMax: number,
): Promise<{ object: GitObject | null; error: unknown }> {
  const loose = await readLooseObject(packs.gitDir, id, sizeBytesMax);
  if (loose !== null) return { object: loose, error: null };
  const answer = reader === null ? "unanswered" : await reader.read(id, sizeBytesMax);
  if (answer === "too large") throw tooLarge(id, sizeBytesMax);
  if (answer !== "unanswered") return { object: answer, error: null };
  try {
    return { object: await readPackedObject(packs, id), error: null };
  } catch (error) {
    return { object: null, error };
  }
}

/** A pack that fails although nothing has moved is damaged, unless the system said why. */
function unreadable(id: GitId, moved: boolean, cause: unknown): TeamMemoryError {
  if (moved)
    return new TeamMemoryError("unavailable", `could not read object ${id}: its pack keeps changing`, { cause });
  const translated = translateGitError(cause, `read object ${id} from its pack`);
  return translated.code === "internal" ? damaged(id, cause) : translated;
}

function damaged(id: GitId, cause: unknown): TeamMemoryError {
  return new TeamMemoryError("repository_damaged", `could not read object ${id}: its pack is damaged`, { cause });
}

function assertWithin(id: GitId, object: GitObject, sizeBytesMax: number): GitObject {
  if (object.content.length <= sizeBytesMax) return object;
  throw tooLarge(id, sizeBytesMax);
}

function tooLarge(id: GitId, sizeBytesMax: number): TeamMemoryError {
  return new TeamMemoryError("too_large", `could not read object ${id}: it is larger than ${sizeBytesMax} bytes`);
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
