import { createHash } from "node:crypto";

/**
 * The ids that git gives to blobs and trees, computed without git: the client checks with them that it holds exactly
 * what the service served.
 */

/** Git's id of a blob: 40 lower-case hex digits. Text is hashed as UTF-8. */
export function blobIdOf(text: string | Uint8Array): string {
  const sizeBytes = typeof text === "string" ? Buffer.byteLength(text) : text.byteLength;
  return createHash("sha1").update(`blob ${sizeBytes}\0`).update(text).digest("hex");
}

export interface TreeFile {
  /** Path below the tree's root, `/` between segments; valid and unlike any other key by the rules for keys. */
  readonly key: string;
  /** Blob id: 40 hex digits. */
  readonly blob: string;
}

/**
 * Git's id of the tree that holds these plain files (mode 100644), nested folders included; the order of `files` does
 * not matter. RangeError for a key given twice or a blob that is no id: both are mistakes of the caller.
 */
export function treeIdOf(files: readonly TreeFile[]): string {
  const sorted = sortByBytes(files);
  const id = Buffer.allocUnsafe(ID_SIZE_BYTES);
  hashTree({ files: sorted, next: 0 }, "", id);
  return id.toString("hex");
}

const ID_SIZE_BYTES = 20;
const FILE_MODE = "100644 ";
const FOLDER_MODE = "40000 ";

interface Cursor {
  readonly files: readonly TreeFile[];
  next: number;
}

/**
 * Sorted by whole keys, every folder's entries stand in git's own order: git sorts a folder as if its name ended in
 * `/`, and below a folder every key goes on with exactly that. So one pass is enough.
 */
function hashTree(cursor: Cursor, prefix: string, into: Buffer): void {
  const entries: Entry[] = [];
  let sizeBytes = 0;
  for (let file = cursor.files[cursor.next]; file?.key.startsWith(prefix); file = cursor.files[cursor.next]) {
    const slash = file.key.indexOf("/", prefix.length);
    const name = slash === -1 ? file.key.slice(prefix.length) : file.key.slice(prefix.length, slash);
    const entry = { mode: slash === -1 ? FILE_MODE : FOLDER_MODE, name, id: Buffer.allocUnsafe(ID_SIZE_BYTES) };
    if (slash === -1) {
      writeBlobId(file, entry.id);
      cursor.next += 1;
    } else {
      hashTree(cursor, file.key.slice(0, slash + 1), entry.id);
    }
    sizeBytes += entry.mode.length + Buffer.byteLength(name) + 1 + ID_SIZE_BYTES;
    entries.push(entry);
  }
  const hash = createHash("sha1").update(`tree ${sizeBytes}\0`);
  for (const { mode, name, id } of entries) hash.update(`${mode}${name}\0`).update(id);
  hash.digest().copy(into);
}

interface Entry {
  readonly mode: string;
  readonly name: string;
  readonly id: Buffer;
}

function writeBlobId(file: TreeFile, into: Buffer): void {
  if (file.blob.length !== 2 * ID_SIZE_BYTES || into.write(file.blob, "hex") !== ID_SIZE_BYTES) {
    throw new RangeError("A file's blob is no git id");
  }
}

function sortByBytes(files: readonly TreeFile[]): readonly TreeFile[] {
  return [...files].sort((a, b) => compareBytes(a.key, b.key));
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
