/**
 * The file system that isomorphic-git is given: its own writes are truncate-and-write, which a kill leaves empty, so
 * every write here is a new file renamed into place. Reads are for packs alone: loose objects have been looked at
 * before, and the list of packs is remembered until somebody asks to look again.
 */
import * as disk from "node:fs/promises";
import { dirname, sep } from "node:path";
import { writeFileAtomic } from "./atomic-file.ts";

/** Reads packs listed in `packNames`; writes loose objects. */
export function buildObjectFs(gitDir: string, packNames: readonly string[]): { promises: typeof disk } {
  const packFolder = `${gitDir}${sep}objects${sep}pack`;
  const promises = {
    ...disk,
    readFile: async (path: string, options?: object) => {
      if (!String(path).startsWith(packFolder)) throw missing(path);
      return disk.readFile(path, options);
    },
    readdir: async (path: string) => (path === packFolder ? [...packNames] : disk.readdir(path)),
    stat: async (path: string) => {
      const stat = await disk.stat(path);
      if (stat.isFile() && stat.size === 0) throw missing(path);
      return stat;
    },
    writeFile: (path: string, bytes: Uint8Array) =>
      writeFileAtomic(path, bytes, { tempFolder: dirname(path), tempPrefix: "tmp_obj_", mode: 0o444 }),
  };
  return { promises: promises as unknown as typeof disk };
}

function missing(path: string): Error {
  return Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
}
