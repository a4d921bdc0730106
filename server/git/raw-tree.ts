/**
 * Tree objects as bytes. isomorphic-git's own tree reader refuses a whole folder for one bad name and turns bytes that are
 * not UTF-8 into other names, so trees are taken apart and put together here; entries nobody touches keep their bytes.
 */

import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { escapeForDisplay } from "../../shared/path/escape-for-display.ts";
import type { GitId, TreeEntry } from "./port.ts";

/** One entry with its name and mode as they lie in the object. */
export interface RawEntry {
  readonly mode: string;
  readonly name: Buffer;
  readonly id: GitId;
}

const SPACE = 0x20;
const ID_SIZE_BYTES = 20;

/** Bytes of an ordinary entry at most: mode, space, a name of 255 bytes, NUL, id. */
const ENTRY_SIZE_BYTES = 284;

/** Room for a few entries with names no disk would take, so that they are seen and named rather than too large. */
const TREE_SIZE_BYTES_MIN = 1024 * 1024;

/** How large the object of a tree with `entriesMax` entries may be. */
export function treeSizeBytesMax(entriesMax: number): number {
  return Math.max(TREE_SIZE_BYTES_MIN, entriesMax * ENTRY_SIZE_BYTES);
}

/** Throws `repository_damaged` where the bytes are not a tree, `too_large` past `entriesMax`. */
export function parseRawTree(bytes: Buffer, entriesMax: number): RawEntry[] {
  const entries: RawEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (entries.length === entriesMax) {
      throw new TeamMemoryError("too_large", `could not read a tree of more than ${entriesMax} entries`);
    }
    const space = bytes.indexOf(SPACE, at);
    const nul = space === -1 ? -1 : bytes.indexOf(0, space);
    const end = nul + 1 + ID_SIZE_BYTES;
    if (nul === -1 || end > bytes.length) {
      throw new TeamMemoryError("repository_damaged", `could not read a tree: it breaks off at byte ${at}`);
    }
    entries.push({
      mode: bytes.toString("latin1", at, space),
      name: bytes.subarray(space + 1, nul),
      id: bytes.toString("hex", nul + 1, end),
    });
    at = end;
  }
  return entries;
}

/** The object's bytes, in the order given. */
export function toRawTree(entries: readonly RawEntry[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => [
      Buffer.from(`${entry.mode} `, "latin1"),
      entry.name,
      Buffer.from([0]),
      Buffer.from(entry.id, "hex"),
    ]),
  );
}

/** Git's order: byte-wise, a folder as if its name ended in `/`. */
export function compareEntries(one: RawEntry, other: RawEntry): number {
  return Buffer.compare(sortName(one), sortName(other));
}

function sortName(entry: RawEntry): Buffer {
  return isFolder(entry) ? Buffer.concat([entry.name, Buffer.from("/")]) : entry.name;
}

/** Old tools wrote a folder's mode with a leading zero. */
export function isFolder(entry: RawEntry): boolean {
  return entry.mode === "40000" || entry.mode === "040000";
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What the port hands out: the name decoded, or null; and a form that is safe to show. */
export function toTreeEntry(entry: RawEntry): TreeEntry {
  const name = decodeName(entry.name);
  return { mode: entry.mode, name, display: escapeForDisplay(name ?? entry.name.toString("latin1")), id: entry.id };
}

function decodeName(bytes: Buffer): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}
