import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { decodeMemory, toCanonical } from "../../../shared/memory/to-canonical.ts";
import type { HeldFolder } from "../../../shared/path/held-folder.ts";
import { PathTraversalError } from "../../../shared/path/path-traversal-error.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import type { Obstacle } from "../state/marks.ts";
import { folderOf, nameOf } from "./key-parts.ts";
import type { LocalFact } from "./local-fact.ts";
import { look } from "./look.ts";
import { openFolder } from "./open-folder.ts";

/**
 * One file under team/, looked at through all three layers. `absent` with bytes is what a crash leaves of a file that was
 * not flushed, empty or with NULs in it: nobody's edit, though it goes to the attic before it is replaced.
 */
export type LocalText =
  | {
      readonly kind: "file";
      /** Of the canonical text; of the raw bytes where they are no text. */
      readonly blob: string;
      readonly bytes: Uint8Array;
      /** Null where the bytes are no UTF-8 text. */
      readonly text: string | null;
      readonly mtimeMs: number;
    }
  | { readonly kind: "absent"; readonly bytes: Uint8Array | null }
  | { readonly kind: "blocked"; readonly because: Obstacle };

/** @throws PathTraversalError where a link, or another thing that an attack needs, lies at the key or on the way to it */
export function readLocal(teamDir: string, key: MemoryKey): LocalText {
  const reader = openReader(teamDir);
  try {
    return reader.read(key);
  } finally {
    reader.close();
  }
}

export interface LocalReader {
  readonly read: (key: MemoryKey) => LocalText;
  readonly close: () => void;
}

/** readLocal for many keys: a folder is checked once, and held, for all of its keys that come in a row. */
export function openReader(teamDir: string): LocalReader {
  let held: { readonly path: string; readonly folder: HeldFolder | Obstacle | null } | null = null;
  const close = () => {
    if (held?.folder !== null && typeof held?.folder === "object") held.folder.close();
    held = null;
  };
  return {
    close,
    read: (key) => {
      const path = folderOf(key);
      if (held?.path !== path) {
        close();
        held = { path, folder: openOrBlock(teamDir, key) };
      }
      const { folder } = held;
      if (folder === null) return { kind: "absent", bytes: null };
      return typeof folder === "string" ? { kind: "blocked", because: folder } : readHeld(folder, nameOf(key));
    },
  };
}

/** What lies at a name of a folder that is held already. */
export function readHeld(folder: HeldFolder, name: string): LocalText {
  try {
    const file = folder.readRegular(name, LIMITS.localFileSizeBytesMax);
    return file === null ? { kind: "absent", bytes: null } : toLocalText(file.bytes, file.mtimeMs);
  } catch (error) {
    if (isTeamMemoryError(error) && error.code === "too_large") return { kind: "blocked", because: "too_large" };
    if (error instanceof PathTraversalError) return { kind: "blocked", because: toObstacle(error) };
    return { kind: "blocked", because: "unreadable" };
  }
}

function toLocalText(bytes: Uint8Array, mtimeMs: number): LocalText {
  if (isVoid(bytes)) return { kind: "absent", bytes };
  const text = toTextOrNull(bytes);
  return { kind: "file", blob: blobIdOf(text ?? bytes), bytes, text, mtimeMs };
}

/** What a plan has to know of it. */
export function toFact(local: LocalText): LocalFact {
  if (local.kind === "file") return { kind: "file", blob: local.blob };
  if (local.kind === "blocked") return { kind: "blocked", because: local.because };
  return local.bytes === null ? { kind: "absent" } : { kind: "absent", isVoid: true };
}

/** NULs stand for bytes that never reached the disk, unless the file says of itself that it is UTF-16. */
function isVoid(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return bytes.length === 0 || (!isUtf16 && bytes.includes(0));
}

/** The canonical text of a memory's bytes; null where they are no UTF-8 text. */
export function toTextOrNull(bytes: Uint8Array): string | null {
  try {
    return toCanonical(decodeMemory(bytes));
  } catch {
    return null;
  }
}

/** A file or a pipe in a folder's place is somebody's accident and costs that key alone; a link refuses the whole pull. */
function openOrBlock(teamDir: string, key: MemoryKey): HeldFolder | Obstacle | null {
  try {
    return openFolder(teamDir, folderOf(key), "null");
  } catch (error) {
    // Nothing lies in a team folder that is not there itself.
    if (look(teamDir) === null) return null;
    if (error instanceof PathTraversalError) return toObstacle(error);
    throw error;
  }
}

/** @throws the error itself where it is no accident */
function toObstacle(error: PathTraversalError): Obstacle {
  const obstacle = ACCIDENTS[error.rule];
  if (obstacle === undefined) throw error;
  return obstacle;
}

const ACCIDENTS: Readonly<Record<string, Obstacle>> = {
  "R-NOT-FILE": "not_a_file",
  "R-NOT-FOLDER": "not_a_file",
  "R-DENIED": "unreadable",
};
