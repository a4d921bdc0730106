/** Tree objects by id, taken apart once: names that can be told apart, and the entries that cannot. */
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { GitId, GitPort, TreeEntry } from "../../git/port.ts";
import { buildBoundedMap } from "./bounded-map.ts";

export interface NamedEntry extends TreeEntry {
  readonly name: string;
}

export interface Folder {
  readonly named: ReadonlyMap<string, NamedEntry>;
  /** Names that are no UTF-8, no single segment, or stand there twice: nobody can say which file they mean. */
  readonly odd: readonly TreeEntry[];
  readonly entries: number;
}

/** Null where the folder has more than `entriesMax` entries: a budget ends there, the walk goes on elsewhere. */
export type ReadFolder = (id: GitId, entriesMax: number) => Promise<Folder | null>;

/** @throws TeamMemoryError repository_damaged, at reading */
export function buildFolderReader(git: Pick<GitPort, "readTree">): ReadFolder {
  const bounds = { countMax: LIMITS.treeEntriesInMemoryMax, weightMax: LIMITS.treeEntriesInMemoryMax };
  const kept = buildBoundedMap<GitId, Folder>({ ...bounds, weigh: ({ entries }) => entries + 1 });
  // Attack: one large folder under thousands of names would be read from the disk, and refused, as often.
  const refused = buildBoundedMap<GitId, number>({ ...bounds, weigh: () => 1 });
  return async (id, entriesMax) => {
    if (entriesMax <= (refused.get(id) ?? 0)) return null;
    const folder = kept.get(id) ?? (await readWithin(git, id, entriesMax));
    if (folder === null) refused.set(id, entriesMax);
    else kept.set(id, folder);
    return folder === null || folder.entries > entriesMax ? null : folder;
  };
}

async function readWithin(git: Pick<GitPort, "readTree">, id: GitId, entriesMax: number): Promise<Folder | null> {
  try {
    return toFolder(await git.readTree(id, entriesMax));
  } catch (error) {
    if (isTeamMemoryError(error) && error.code === "too_large") return null;
    throw error;
  }
}

function toFolder(entries: readonly TreeEntry[]): Folder {
  const named = new Map<string, NamedEntry>();
  const odd: TreeEntry[] = [];
  const twice = findRepeatedNames(entries);
  for (const entry of entries) {
    if (isSegment(entry) && !twice.has(entry.name)) named.set(entry.name, entry);
    else odd.push(entry);
  }
  return { named, odd, entries: entries.length };
}

function findRepeatedNames(entries: readonly TreeEntry[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { name } of entries) {
    if (name === null) continue;
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  return twice;
}

// Attack: an entry named `a/b.md` or `../x` is one name to git and a path to everything after it.
function isSegment(entry: TreeEntry): entry is NamedEntry {
  return entry.name !== null && entry.name !== "" && !entry.name.includes("/");
}

export function isFolder(entry: TreeEntry): boolean {
  return entry.mode === "40000" || entry.mode === "040000";
}

/** A memory is a plain file; the executable bit is nobody's business. Links, submodules and odd modes are not files. */
export function isPlainFile(entry: TreeEntry): boolean {
  return entry.mode === "100644" || entry.mode === "100755";
}
