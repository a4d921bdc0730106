/** What differs between two trees of one repository, by path: folders with equal ids are never opened. */
import { LIMITS } from "../../../shared/limits.ts";
import type { GitId, TreeEntry } from "../../git/port.ts";
import { type Folder, isFolder, type ReadFolder } from "./read-folder.ts";

export interface PathChange {
  readonly path: string;
  /** The entry that is no folder, on each side: a plain file, a link, anything. Null: none there. */
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
}

export interface FolderDiff {
  readonly changes: readonly PathChange[];
  /** Entries of `after` that cannot be named and are not in `before`: their paths, escaped for display. */
  readonly odd: readonly string[];
  /** False where a bound ended the walk: there may be more. */
  readonly complete: boolean;
}

interface Pair {
  readonly prefix: string;
  readonly depth: number;
  readonly before: GitId | null;
  readonly after: GitId | null;
}

interface Sides {
  readonly before: Folder;
  readonly after: Folder;
}

const EMPTY: Folder = { named: new Map(), odd: [], entries: 0 };

/** `before` and `after` are tree ids; null is the empty tree. Breadth first, so that a deep bomb hides little. */
export async function diffFolders(
  readFolder: ReadFolder,
  before: GitId | null,
  after: GitId | null,
): Promise<FolderDiff> {
  const diff = { changes: [] as PathChange[], odd: [] as string[], complete: true };
  const waiting: Pair[] = before === after ? [] : [{ prefix: "", depth: 1, before, after }];
  // Each side may have as many entries as a project.
  let entriesLeft = 2 * LIMITS.treeEntriesMax;
  // Grows while it is walked.
  for (const pair of waiting) {
    const sides = await readSides(readFolder, pair, entriesLeft);
    if (sides === null) {
      diff.complete = false;
      continue;
    }
    entriesLeft -= sides.before.entries + sides.after.entries;
    diff.odd.push(...findNewOdd(pair.prefix, sides));
    compareSides(pair, sides, { changes: diff.changes, waiting });
  }
  return diff;
}

/** Null past a bound. */
async function readSides(readFolder: ReadFolder, pair: Pair, entriesMax: number): Promise<Sides | null> {
  if (pair.depth > LIMITS.treeDepthMax + LIMITS.projectSegmentsMax) return null;
  const before = pair.before === null ? EMPTY : await readFolder(pair.before, entriesMax);
  const after = pair.after === null ? EMPTY : await readFolder(pair.after, entriesMax);
  return before === null || after === null || before.entries + after.entries > entriesMax ? null : { before, after };
}

function findNewOdd(prefix: string, { before, after }: Sides): string[] {
  if (after.odd.length === 0) return [];
  const known = new Set(before.odd.map(({ display, id }) => `${display} ${id}`));
  return after.odd.filter(({ display, id }) => !known.has(`${display} ${id}`)).map(({ display }) => prefix + display);
}

function compareSides(pair: Pair, sides: Sides, found: { changes: PathChange[]; waiting: Pair[] }): void {
  for (const name of new Set([...sides.before.named.keys(), ...sides.after.named.keys()])) {
    const before = sides.before.named.get(name) ?? null;
    const after = sides.after.named.get(name) ?? null;
    if (before?.id === after?.id && before?.mode === after?.mode) continue;
    const path = pair.prefix + name;
    const leaves = { before: toLeaf(before), after: toLeaf(after) };
    const folders = { before: toFolderId(before), after: toFolderId(after) };
    if (leaves.before !== null || leaves.after !== null) found.changes.push({ path, ...leaves });
    if (folders.before !== folders.after) found.waiting.push({ prefix: `${path}/`, depth: pair.depth + 1, ...folders });
  }
}

function toLeaf(entry: TreeEntry | null): TreeEntry | null {
  return entry === null || isFolder(entry) ? null : entry;
}

function toFolderId(entry: TreeEntry | null): GitId | null {
  return entry !== null && isFolder(entry) ? entry.id : null;
}
