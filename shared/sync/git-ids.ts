import { createHash, hash } from "node:crypto";

/**
 * The ids that git gives to blobs and trees, computed without git: with them the client checks that it holds exactly
 * what the service served. On the session-start path: one sort, one pass, no object a file.
 */

/** Git's id of a blob: 40 lower-case hex digits. Text is hashed as UTF-8. */
export function blobIdOf(text: string | Uint8Array): string {
  // A text in one call: an object for each of a thousand texts takes longer than their hashing.
  if (typeof text === "string") return hash("sha1", `blob ${Buffer.byteLength(text)}\0${text}`);
  return createHash("sha1").update(`blob ${text.byteLength}\0`).update(text).digest("hex");
}

export interface TreeFile {
  /** Path below the tree's root, `/` between segments. No key may be a folder of another (see findKeyCollisions). */
  readonly key: string;
  /** Blob id: 40 hex digits. */
  readonly blob: string;
}

/**
 * Git's id of the tree that holds these plain files (mode 100644), nested folders included; the order of `files` does
 * not matter. RangeError for a key given twice or a blob that is no id: mistakes of the caller, which would otherwise
 * pass for a service that lies.
 */
export function treeIdOf(files: readonly TreeFile[]): string {
  return treeIdBelow({ files: sortByBytes(files), next: 0 }, "");
}

const ID_SIZE_BYTES = 20;
const FILE_MODE = "100644 ";
const FOLDER_MODE = "40000 ";
/** UTF-8 needs at most this many bytes for one UTF-16 code unit. */
const BYTES_PER_UNIT_MAX = 3;
const ENTRY_OVERHEAD_BYTES = FILE_MODE.length + 1 + ID_SIZE_BYTES;

interface Cursor {
  readonly files: readonly TreeFile[];
  next: number;
}

/**
 * The id of one folder, its files taken from the cursor. Sorted by whole keys, every folder's entries stand in git's
 * order: git sorts a folder as if its name ended in `/`, and below a folder every key goes on with exactly that.
 */
function treeIdBelow(cursor: Cursor, prefix: string): string {
  const names: string[] = [];
  const ids: string[] = [];
  let sizeBytesMax = 0;
  for (let file = cursor.files[cursor.next]; file?.key.startsWith(prefix); file = cursor.files[cursor.next]) {
    const slash = file.key.indexOf("/", prefix.length);
    if (slash === -1) {
      names.push(FILE_MODE + file.key.slice(prefix.length));
      ids.push(file.blob);
      cursor.next += 1;
    } else {
      names.push(FOLDER_MODE + file.key.slice(prefix.length, slash));
      ids.push(treeIdBelow(cursor, file.key.slice(0, slash + 1)));
    }
    sizeBytesMax += (names.at(-1)?.length ?? 0) * BYTES_PER_UNIT_MAX + ENTRY_OVERHEAD_BYTES;
  }
  return hashTree(names, ids, Buffer.allocUnsafe(sizeBytesMax));
}

function hashTree(names: readonly string[], ids: readonly string[], content: Buffer): string {
  let at = 0;
  for (const [index, name] of names.entries()) {
    at += content.write(name, at);
    content[at] = 0;
    at += 1;
    const id = ids[index] ?? "";
    if (id.length !== 2 * ID_SIZE_BYTES || content.write(id, at, "hex") !== ID_SIZE_BYTES) {
      throw new RangeError("Cannot compute a tree id: a file's blob is no git id");
    }
    at += ID_SIZE_BYTES;
  }
  return createHash("sha1").update(`tree ${at}\0`).update(content.subarray(0, at)).digest("hex");
}

/** Code units sort as bytes do, but for surrogate pairs: those stand below U+E000 in UTF-16 and above it in UTF-8. */
function sortByBytes(files: readonly TreeFile[]): readonly TreeFile[] {
  const compare = files.some(({ key }) => /[\ud800-\udfff]/.test(key)) ? compareBytes : compareCodeUnits;
  const sorted = isSorted(files, compare) ? files : [...files].sort((a, b) => compare(a.key, b.key));
  if (sorted.some(({ key }, index) => key === sorted[index + 1]?.key)) {
    throw new RangeError("Cannot compute a tree id: a key is given twice");
  }
  return sorted;
}

type Compare = (a: string, b: string) => number;

function isSorted(files: readonly TreeFile[], compare: Compare): boolean {
  return files.every(({ key }, index) => index === 0 || compare(files[index - 1]?.key ?? "", key) <= 0);
}

function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
