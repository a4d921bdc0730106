/**
 * Where isomorphic-git is used but for its push: packed objects are read and loose ones written through it, over a file system of
 * ours. Its own writes are truncate-and-write, which a kill leaves empty; here each is a new file renamed into place. Its
 * cache never forgets a pack, so it is given a new one whenever the set of packs has changed.
 */
import * as disk from "node:fs/promises";
import { dirname, join } from "node:path";
import * as isomorphicGit from "isomorphic-git";
import { LIMITS } from "../../shared/limits.ts";
import { writeFileAtomic } from "./atomic-file.ts";
import type { GitObject, ObjectType } from "./objects.ts";
import type { GitId } from "./port.ts";
import { errorCodeOf, isMissing } from "./translate-git-error.ts";

/** The packs of one look at the folder, and what has been read of them since. */
export interface Packs {
  readonly gitDir: string;
  /** Names of the indexes, sorted. */
  readonly names: readonly string[];
  readonly fs: isomorphicGit.PromiseFsClient;
  readonly cache: object;
}

/** A pack without an index, or with an empty one (a power cut), would make every packed read fail: it is left out. */
export async function lookAtPacks(gitDir: string): Promise<Packs> {
  const folder = join(gitDir, "objects", "pack");
  const there = new Set(await disk.readdir(folder).catch(noneWhenMissing));
  const names: string[] = [];
  for (const name of [...there].sort()) {
    const complete = name.endsWith(".idx") && there.has(name.replace(/idx$/u, "pack"));
    if (complete && (await sizeOf(join(folder, name))) > 0) names.push(name);
  }
  return { gitDir, names, fs: buildPackFs(folder, names), cache: {} };
}

/** One packed object, or null. Rejects in many ways when native git has just removed a pack: look again then. */
export async function readPackedObject(packs: Packs, id: GitId): Promise<GitObject | null> {
  if (packs.names.length === 0) return null;
  try {
    const { fs, gitDir, cache } = packs;
    const found = await isomorphicGit.readObject({ fs, gitdir: gitDir, cache, oid: id, format: "content" });
    return { type: found.type as ObjectType, content: Buffer.from(found.object as Uint8Array) };
  } catch (error) {
    if (errorCodeOf(error) === "NotFoundError") return null;
    throw error;
  }
}

/** Put a loose object at its place, whatever stands there. */
export async function writeLooseObject(gitDir: string, id: GitId, deflated: Buffer): Promise<void> {
  await isomorphicGit.writeObject({ fs: WRITE_FS, gitdir: gitDir, format: "deflated", oid: id, object: deflated });
}

/** Writes the index of a pack that lies at its place; the index appears whole. For machines without git. */
export async function indexPackFile(gitDir: string, path: string): Promise<void> {
  const fs = { promises: { ...disk, writeFile: writeObjectFile } };
  await isomorphicGit.indexPack({ fs, dir: gitDir, gitdir: gitDir, filepath: path.slice(gitDir.length + 1) });
}

/** Loose objects have been looked for before, so only packs are there; and only those of the last look. */
function buildPackFs(folder: string, names: readonly string[]): isomorphicGit.PromiseFsClient {
  const readFile = async (path: string, options?: object) => {
    if (dirname(String(path)) !== folder) throw notThere(path);
    return disk.readFile(path, options);
  };
  const readdir = async (path: string) => (path === folder ? [...names] : disk.readdir(path));
  return { promises: { ...disk, readFile, readdir } };
}

/** The caller has decided to write, so no file is there already; folders are real. */
const WRITE_FS: isomorphicGit.PromiseFsClient = {
  promises: {
    ...disk,
    stat: async (path: string) => {
      const stat = await disk.stat(path);
      if (stat.isFile()) throw notThere(path);
      return stat;
    },
    writeFile: writeObjectFile,
  },
};

/** Native git removes a folder of objects once all of them are packed, also the one that has just been made for this. */
async function writeObjectFile(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await writeFileAtomic(path, bytes, { tempFolder: folder, tempPrefix: "tmp_obj_", mode: 0o444 });
    } catch (error) {
      if (!isMissing(error) || attempt === LIMITS.gitFolderAttemptsMax) throw error;
      await disk.mkdir(folder, { recursive: true }).catch(noneWhenMissing);
    }
  }
}

function notThere(path: string): Error {
  return Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await disk.stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

function noneWhenMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}
