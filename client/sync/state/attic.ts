import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { LIMITS } from "../../../shared/limits.ts";
import { toDiskError } from "../../../shared/path/disk-error.ts";
import type { HeldFolder } from "../../../shared/path/held-folder.ts";
import { readSmallFileBytes } from "../../memory/read-small-file.ts";
import { syncFolder, writeNew } from "./durable-file.ts";
import { statePath } from "./layout.ts";

/**
 * Every text that a pull replaced, as a file of its own that a person can open: `attic/<when>/<why>/<key>`. Written and
 * flushed before the text leaves its place; nothing here is ever overwritten. Folders are flushed together, once. What
 * leaves it again, pruneAttic says.
 */
export type AtticReason =
  | "replaced"
  | "removed"
  /** Mine, of which the text in place was made. */
  | "merged"
  /** Mine, where the two did not merge; and what both started from. */
  | "conflict"
  | "base"
  /** A parked text that a person has decided about. */
  | "resolved"
  | "written-meanwhile"
  | "index"
  | "found";

export interface Attic {
  /**
   * @param whose `reviewed`: the team's own text, which git has. It is kept like all others, and nothing waits for the disk:
   *   a power cut may take this copy of it
   * @returns the path below the attic, by which it is found again
   * @throws TeamMemoryError `disk`, `disk_full`
   */
  put(key: string, bytes: Uint8Array, why: AtticReason, whose?: Whose): string;
  /**
   * Takes a file itself in that lies in a held folder, and not a copy of it: who opened it while it was in its place may
   * write at any later moment, and what they write is kept then. On another file system it is a copy after all.
   *
   * @param at `put`'s answer where that has these very bytes already, and is replaced by the file; else why it is kept
   * @returns the path below the attic
   */
  take(file: HeldFile, at: { readonly copy: string } | { readonly why: AtticReason }, whose?: Whose): string;
  /** All that was put is on the disk, names included, once this returns. */
  flush(): void;
}

/** `reviewed`: git has it, and no copy of it has to outlive a power cut. */
export type Whose = "reviewed" | "mine";

export interface HeldFile {
  readonly folder: HeldFolder;
  readonly name: string;
  /** Under which it is kept. */
  readonly key: string;
  /** What it held when it was last read. */
  readonly bytes: Uint8Array;
}

/** One run's attic: all it keeps stands under the moment at which it began. */
export function openAttic(stateFolder: string, now: Date): Attic {
  const attic = atticFolder(stateFolder);
  const when = `${now.toISOString().replaceAll(/[:.]/g, "-")}-${process.pid}`;
  const unflushed = new Set<string>();
  const put = (key: string, bytes: Uint8Array, why: AtticReason, whose: Whose = "mine"): string => {
    const isDurable = whose === "mine";
    for (let copy = 1; ; copy++) {
      const path = join(when, copy === 1 ? why : `${why}-${copy}`, ...key.split("/"));
      if (!putNew(join(attic, path), bytes, isDurable)) continue;
      if (isDurable) for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) unflushed.add(folder);
      return path;
    }
  };
  return {
    put,
    take: ({ folder, name, key, bytes }, at, whose = "mine") => {
      const path = "copy" in at ? at.copy : put(key, bytes, at.why, whose);
      if (!folder.moveOut(name, join(attic, path), { isDurable: whose === "mine" })) folder.remove(name);
      return path;
    },
    flush: () => {
      if (unflushed.size === 0) return;
      for (const folder of [...unflushed, ".", ".."]) syncFolder(join(attic, folder));
      unflushed.clear();
    },
  };
}

/** Null where it is gone. */
export function readAttic(stateFolder: string, path: string): Buffer | null {
  return readSmallFileBytes(join(atticFolder(stateFolder), path), LIMITS.localFileSizeBytesMax);
}

export function atticFolder(stateFolder: string): string {
  return statePath(stateFolder, "attic");
}

/** False where the name is taken. */
function putNew(path: string, bytes: Uint8Array, isDurable: boolean): boolean {
  if (existsSync(path)) return false;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeNew(path, bytes, isDurable);
    return true;
  } catch (error) {
    throw toDiskError(error, "keep the replaced text in", path);
  }
}
