import { createHash } from "node:crypto";
import { LIMITS } from "../../../shared/limits.ts";
import { readSmallFileBytes } from "../../memory/read-small-file.ts";
import { folderOf, nameOf } from "../folder/key-parts.ts";
import { asArray, asCount, asObject, asText } from "../json-shape.ts";
import { writeWhole } from "../state/durable-file.ts";
import { statePath } from "../state/layout.ts";

/**
 * The git trees of what the service serves, as git writes them, folder by folder. One changed memory among ten thousand
 * changes one entry: its folder's bytes are hashed again, and not ten thousand keys sorted and joined. A cache: what it
 * says is only used where its hash is the tree that was to be found, so it cannot be wrong, only missing.
 */
export type ServedTree = ReadonlyMap<string, Buffer>;

export interface TreeEdit {
  readonly key: string;
  /** Git id; null removes the key. */
  readonly blob: string | null;
}

/** From nothing: by folders, each sorted once. */
export function buildServedTree(files: readonly { readonly key: string; readonly blob: string }[]): ServedTree {
  const entries = new Map<string, string[]>();
  for (const { key, blob } of files) {
    const folder = folderOf(key);
    const list = entries.get(folder) ?? [];
    if (list.length === 0) entries.set(folder, list);
    // As bytes, of which a text of this kind has one a letter: it sorts as git sorts, and is written in one go.
    list.push(toBinary(Buffer.from(`${nameOf(key)}\0`)) + toBinary(Buffer.from(blob, "hex")));
  }
  const tree = new Map([...entries].map(([folder, list]) => [folder, joinEntries(list)]));
  settleFolders(tree, new Set(tree.keys()));
  return tree;
}

function toBinary(bytes: Buffer): string {
  return bytes.toString("latin1");
}

function joinEntries(entries: string[]): Buffer {
  return Buffer.from(
    entries
      .sort()
      .map((entry) => `${FILE} ${entry}`)
      .join(""),
    "latin1",
  );
}

/** Git's id of the whole. */
export function idOfServedTree(tree: ServedTree): string {
  return idOf(tree.get("") ?? Buffer.alloc(0)).toString("hex");
}

export function findBlob(tree: ServedTree, key: string): string | null {
  const bytes = tree.get(folderOf(key));
  const at = bytes === undefined ? -1 : findEntry(bytes, FILE, nameOf(key));
  return at === -1 ? null : (bytes?.subarray(at, at + ID_SIZE_BYTES).toString("hex") ?? null);
}

/**
 * Whether a name on the key's way is there already in other letters. Plain letters only: what folds in other ways too is
 * the service's to keep apart, and found when all keys are looked at.
 */
export function hasFoldedTwin(tree: ServedTree, key: string): boolean {
  for (let path = key; path !== ""; path = folderOf(path)) {
    const bytes = tree.get(folderOf(path));
    const name = Buffer.from(`${path === key ? FILE : FOLDER} ${nameOf(path)}\0`).toString("latin1");
    const isThere = bytes?.includes(name, 0, "latin1") === true;
    if (!isThere && bytes?.toString("latin1").toLowerCase().includes(name.toLowerCase()) === true) return true;
  }
  return false;
}

/** A new tree; the old one stays as it is. */
export function editServedTree(tree: ServedTree, edits: readonly TreeEdit[]): ServedTree {
  const edited = new Map(tree);
  const changed = new Set<string>();
  for (const { key, blob } of edits) {
    const id = blob === null ? null : Buffer.from(blob, "hex");
    setEntry(edited, folderOf(key), { mode: FILE, name: nameOf(key), id });
    changed.add(folderOf(key));
  }
  settleFolders(edited, changed);
  return edited;
}

const FILE = "100644";
const FOLDER = "40000";
const ID_SIZE_BYTES = 20;

interface Entry {
  readonly mode: typeof FILE | typeof FOLDER;
  readonly name: string;
  readonly id: Buffer | null;
}

/** Gives every folder above a change its new id, the deepest first. A folder that became empty is none for git. */
function settleFolders(tree: Map<string, Buffer>, changed: Set<string>): void {
  const depthOf = (folder: string) => folder.split("/").length;
  const queue = [...changed].filter((folder) => folder !== "");
  while (queue.length > 0) {
    queue.sort((a, b) => depthOf(a) - depthOf(b));
    const path = queue.pop() ?? "";
    const bytes = tree.get(path) ?? Buffer.alloc(0);
    if (bytes.length === 0) tree.delete(path);
    const folder = folderOf(path);
    setEntry(tree, folder, { mode: FOLDER, name: nameOf(path), id: bytes.length === 0 ? null : idOf(bytes) });
    if (folder !== "" && !queue.includes(folder)) queue.push(folder);
  }
}

function setEntry(tree: Map<string, Buffer>, folder: string, { mode, name, id }: Entry): void {
  const bytes = tree.get(folder) ?? Buffer.alloc(0);
  const head = Buffer.from(`${mode} ${name}\0`);
  const found = findEntry(bytes, mode, name);
  if (found !== -1 && id !== null) {
    const copy = Buffer.from(bytes);
    id.copy(copy, found);
    tree.set(folder, copy);
  } else if (found !== -1) {
    tree.set(folder, Buffer.concat([bytes.subarray(0, found - head.length), bytes.subarray(found + ID_SIZE_BYTES)]));
  } else if (id !== null) {
    const at = findGap(bytes, mode === FOLDER ? `${name}/` : name);
    tree.set(folder, Buffer.concat([bytes.subarray(0, at), head, id, bytes.subarray(at)]));
  }
}

/** Where an entry's id stands, or -1. An id that happens to hold such bytes would give a tree that no service has. */
function findEntry(bytes: Buffer, mode: string, name: string): number {
  const head = Buffer.from(`${mode} ${name}\0`);
  const at = bytes.indexOf(head);
  return at === -1 ? -1 : at + head.length;
}

/** Where an entry belongs: git sorts by bytes, and a folder as if its name ended in a slash. */
function findGap(bytes: Buffer, sortName: string): number {
  const wanted = Buffer.from(sortName);
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const isFolder = bytes[at] === FOLDER.charCodeAt(0);
    if (compareNames(bytes.subarray(space + 1, end), isFolder, wanted) > 0) return at;
    at = end + 1 + ID_SIZE_BYTES;
  }
  return bytes.length;
}

function compareNames(name: Buffer, isFolder: boolean, wanted: Buffer): number {
  const order = Buffer.compare(name, wanted.subarray(0, name.length));
  if (order !== 0) return order;
  return isFolder ? SLASH - (wanted[name.length] ?? 0) : -1;
}

const SLASH = 0x2f;

function idOf(bytes: Buffer): Buffer {
  return createHash("sha1").update(`tree ${bytes.length}\0`).update(bytes).digest();
}

/** The cached tree, where it is the one with this id; else null. */
export function readServedTree(stateFolder: string, tree: string): ServedTree | null {
  try {
    const bytes = readSmallFileBytes(statePath(stateFolder, "tree"), LIMITS.clientStateSizeBytesMax);
    const cached = bytes === null ? null : decode(bytes);
    return cached !== null && idOfServedTree(cached) === tree ? cached : null;
  } catch {
    return null;
  }
}

export function writeServedTree(stateFolder: string, tree: ServedTree): void {
  const table = [...tree].map(([folder, bytes]) => [folder, bytes.length]);
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify({ folders: table })}\n`), ...tree.values()]);
  writeWhole(statePath(stateFolder, "tree"), bytes, { isDurable: false });
}

function decode(bytes: Buffer): ServedTree {
  const newline = bytes.indexOf(0x0a);
  const { folders } = asObject(JSON.parse(bytes.subarray(0, newline).toString("utf8")));
  let at = newline + 1;
  return new Map(
    asArray(folders, LIMITS.treeEntriesMax).map((row) => {
      const [folder, sizeBytes] = asArray(row, 2);
      const from = at;
      at += asCount(sizeBytes);
      return [asText(folder, LIMITS.keySizeBytesMax), bytes.subarray(from, at)];
    }),
  );
}
