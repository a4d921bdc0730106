/**
 * New trees from old ones: only the folders on the way to a change are read and written. Entries beside the way keep
 * their bytes, names that are not UTF-8 and odd modes included; folders left empty go.
 */
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { type ChangeNode, planTreeChanges } from "./plan-tree-changes.ts";
import type { GitId, TreeChange } from "./port.ts";
import { compareEntries, isFolder, type RawEntry, toRawTree } from "./raw-tree.ts";

export interface TreeStore {
  readEntries(tree: GitId, entriesMax: number): Promise<readonly RawEntry[]>;
  /** Id of a tree that is to be written; it need not be there before all changes are applied. */
  addTree(content: Buffer): GitId;
}

/**
 * Id of the tree that is `tree` (null: an empty one) with `changes`. Throws `key_collision` where a file would stand in
 * a folder's place or the other way round, `path_traversal` for names that git refuses. Removing what is not there
 * changes nothing.
 */
export async function applyTreeChanges(
  store: TreeStore,
  tree: GitId | null,
  changes: readonly TreeChange[],
): Promise<GitId> {
  const entries = await applyToFolder(store, tree, planTreeChanges(changes));
  return store.addTree(toRawTree(entries));
}

async function applyToFolder(store: TreeStore, tree: GitId | null, plan: ChangeNode): Promise<readonly RawEntry[]> {
  const before = tree === null ? [] : await store.readEntries(tree, LIMITS.treeEntriesMax);
  const touched = new Map([...plan.below.keys()].map((name) => [toNameKey(Buffer.from(name)), [] as RawEntry[]]));
  const kept = before.filter((entry) => touched.get(toNameKey(entry.name))?.push(entry) === undefined);
  const changed: RawEntry[] = [];
  for (const [name, node] of plan.below) {
    const here = touched.get(toNameKey(Buffer.from(name))) ?? [];
    const entry = await applyToName(store, here, { name, node });
    if (entry !== null) changed.push(entry);
  }
  return mergeEntries(kept, changed.sort(compareEntries));
}

/** One character a byte, so that names that are not UTF-8 stay apart. */
function toNameKey(name: Buffer): string {
  return name.toString("latin1");
}

/** What stands at one name afterwards: a file, a folder or nothing. */
async function applyToName(
  store: TreeStore,
  here: readonly RawEntry[],
  { name, node }: { name: string; node: ChangeNode },
): Promise<RawEntry | null> {
  const folderHere = here.find(isFolder);
  const folder = node.below.size === 0 ? folderHere : await changedFolder(store, folderHere, { name, node });
  const file = node.blob === undefined ? here.find((entry) => !isFolder(entry)) : newFile(name, node.blob);
  if (folder && file) {
    const key = JSON.stringify(name);
    throw new TeamMemoryError("key_collision", `could not write a file and a folder of one name: ${key}`, {
      details: { key },
    });
  }
  return folder ?? file ?? null;
}

async function changedFolder(
  store: TreeStore,
  before: RawEntry | undefined,
  { name, node }: { name: string; node: ChangeNode },
): Promise<RawEntry | undefined> {
  const entries = await applyToFolder(store, before?.id ?? null, node);
  if (entries.length === 0) return undefined;
  return { mode: "40000", name: Buffer.from(name), id: store.addTree(toRawTree(entries)) };
}

function newFile(name: string, blob: GitId | null): RawEntry | undefined {
  return blob === null ? undefined : { mode: "100644", name: Buffer.from(name), id: blob };
}

/** New entries stand where git's order wants them; the others keep the order they had. */
function mergeEntries(kept: readonly RawEntry[], changed: readonly RawEntry[]): readonly RawEntry[] {
  const merged: RawEntry[] = [];
  let next = 0;
  for (const entry of kept) {
    for (let other = changed[next]; other && compareEntries(other, entry) < 0; other = changed[next]) {
      merged.push(other);
      next += 1;
    }
    merged.push(entry);
  }
  return [...merged, ...changed.slice(next)];
}
