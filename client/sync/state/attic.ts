import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { LIMITS } from "../../../shared/limits.ts";
import { toDiskError } from "../../../shared/path/disk-error.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { readSmallFileBytes } from "../../memory/read-small-file.ts";
import { syncFolder, writeNew } from "./durable-file.ts";
import { statePath } from "./layout.ts";

/**
 * Every text that a pull replaced, as a file of its own that a person can open: `attic/<when>/<why>/<key>`. Written and
 * flushed before the text leaves its place; nothing here is ever overwritten. Folders are flushed together, once.
 */
export type AtticReason = "replaced" | "removed" | "conflict" | "written-meanwhile" | "index" | "found";

export interface AtticText {
  /** Below the attic. */
  readonly path: string;
  readonly key: string;
  readonly why: string;
  readonly at: string;
}

export interface Attic {
  /** The path below the attic, by which it is found again. @throws TeamMemoryError `disk`, `disk_full` */
  put(key: string, bytes: Uint8Array, why: AtticReason): string;
  /** All that was put is on the disk, names included, once this returns. */
  flush(): void;
}

/** One run's attic: all it keeps stands under the moment at which it began. */
export function openAttic(stateFolder: string, now: Date): Attic {
  const attic = atticFolder(stateFolder);
  const when = `${now.toISOString().replaceAll(/[:.]/g, "-")}-${process.pid}`;
  const unflushed = new Set<string>();
  return {
    put: (key, bytes, why) => {
      for (let copy = 1; ; copy++) {
        const path = join(when, copy === 1 ? why : `${why}-${copy}`, ...key.split("/"));
        if (!putNew(join(attic, path), bytes)) continue;
        for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) unflushed.add(folder);
        return path;
      }
    },
    flush: () => {
      if (unflushed.size === 0) return;
      for (const folder of [...unflushed, ".", ".."]) syncFolder(join(attic, folder));
      unflushed.clear();
    },
  };
}

/** Texts kept for a key, newest first. */
export function listAttic(stateFolder: string, key: MemoryKey): AtticText[] {
  const attic = atticFolder(stateFolder);
  const times = readNames(attic).sort().reverse();
  return times.flatMap((at) =>
    readNames(join(attic, at)).flatMap((why) => {
      const path = join(at, why, ...key.split("/"));
      return isFile(join(attic, path)) ? [{ path, key, why, at }] : [];
    }),
  );
}

/** Null where it is gone. */
export function readAttic(stateFolder: string, path: string): Buffer | null {
  return readSmallFileBytes(join(atticFolder(stateFolder), path), LIMITS.localFileSizeBytesMax);
}

export function atticFolder(stateFolder: string): string {
  return statePath(stateFolder, "attic");
}

/** False where the name is taken. */
function putNew(path: string, bytes: Uint8Array): boolean {
  if (existsSync(path)) return false;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeNew(path, bytes, true);
    return true;
  } catch (error) {
    throw toDiskError(error, "keep the replaced text in", path);
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
