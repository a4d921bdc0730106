/**
 * Whether all that a pack's objects lead to is there: in it, or here before it came. What is here is whole: it came by such
 * packs, or was written from the leaves up. For machines without git, which looks itself.
 *
 * What is newest is looked at first, files before older commits. Past a bound the rest of a long history is believed, for
 * an object takes milliseconds here: none of it is served, and what reads it one day says what is missing.
 */
import { access, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { looseObjectPath } from "../loose-object.ts";
import { openObjectStore } from "../object-store.ts";
import type { ObjectStore } from "../objects.ts";
import type { GitId } from "../port.ts";
import { parseRawCommit } from "../raw-commit.ts";
import { isFolder, parseRawTree, treeSizeBytesMax } from "../raw-tree.ts";
import { hasId, readPackIds } from "./pack-ids.ts";

interface Arrived {
  readonly gitDir: string;
  /** The pack, its index beside it. */
  readonly path: string;
  readonly wants: Iterable<GitId>;
  /** Objects that are read; the bound of the house unless a test has less patience. */
  readonly readsMax?: number;
}

export async function isConnected({
  gitDir,
  path,
  wants,
  readsMax = LIMITS.remoteConnectedObjectsMax,
}: Arrived): Promise<boolean> {
  const objects = await openObjectStore(gitDir, null);
  const index = path.replace(/pack$/u, "idx");
  const [packed, others] = [await readPackIds(index), await readOtherIds(index)];
  const isThere = async (id: GitId) =>
    hasId(packed, id) || others.some((ids) => hasId(ids, id)) || (await isLoose(gitDir, id));
  const seen = new Set<GitId>();
  const commits: GitId[] = [...wants];
  const trees: GitId[] = [];
  let reads = 0;
  for (let id = commits.shift(); id !== undefined; id = trees.pop() ?? commits.shift()) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (!(await isThere(id))) return false;
    if (!hasId(packed, id)) continue;
    if (reads === readsMax) return true;
    reads += 1;
    const children = await readChildren(objects, id);
    commits.push(...children.commits);
    trees.push(...children.trees);
    for (const leaf of children.leaves) if (!(await isThere(leaf))) return false;
  }
  return true;
}

interface Children {
  readonly commits: readonly GitId[];
  readonly trees: readonly GitId[];
  /** What leads no further. */
  readonly leaves: readonly GitId[];
}

const NONE: Children = { commits: [], trees: [], leaves: [] };
const OTHER_REPOSITORY = "160000";

/** None of what is too large or no tree: readers refuse that file or folder alone, and say so. */
async function readChildren(objects: ObjectStore, id: GitId): Promise<Children> {
  try {
    const object = await objects.read(id, treeSizeBytesMax(LIMITS.treeEntriesMax));
    if (object?.type === "commit") {
      const { tree, parents } = parseRawCommit(id, object.content);
      return { commits: parents, trees: [tree], leaves: [] };
    }
    return object?.type === "tree" ? toChildren(object.content) : NONE;
  } catch (error) {
    if (isTeamMemoryError(error) && (error.code === "too_large" || error.code === "repository_damaged")) return NONE;
    throw error;
  }
}

function toChildren(content: Buffer): Children {
  const entries = parseRawTree(content, LIMITS.treeEntriesMax).filter(({ mode }) => mode !== OTHER_REPOSITORY);
  const idsOf = (isTree: boolean) => entries.filter((entry) => isFolder(entry) === isTree).map(({ id }) => id);
  return { commits: [], trees: idsOf(true), leaves: idsOf(false) };
}

async function readOtherIds(index: string): Promise<readonly Buffer[]> {
  const folder = dirname(index);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".idx") && name !== basename(index));
  return Promise.all(names.map((name) => readPackIds(join(folder, name))));
}

async function isLoose(gitDir: string, id: GitId): Promise<boolean> {
  return access(looseObjectPath(gitDir, id)).then(
    () => true,
    () => false,
  );
}
