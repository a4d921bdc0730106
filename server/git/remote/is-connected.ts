/**
 * Whether all that a pack's objects lead to is there: in it, or here before it came. What is here is whole: it came by such
 * packs, or was written from the leaves up. For machines without git, which looks itself.
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
import { parseRawTree, treeSizeBytesMax } from "../raw-tree.ts";
import { hasId, readPackIds } from "./pack-ids.ts";

interface Arrived {
  readonly gitDir: string;
  /** The pack, its index beside it. */
  readonly path: string;
  readonly wants: Iterable<GitId>;
}

export async function isConnected({ gitDir, path, wants }: Arrived): Promise<boolean> {
  const objects = await openObjectStore(gitDir, null);
  const index = path.replace(/pack$/u, "idx");
  const [packed, others] = [await readPackIds(index), await readOtherIds(index)];
  const isHere = async (id: GitId) => others.some((ids) => hasId(ids, id)) || isLoose(gitDir, id);
  const seen = new Set<GitId>(wants);
  for (const id of seen) {
    if (!hasId(packed, id)) {
      if (!(await isHere(id))) return false;
      continue;
    }
    const { inner, leaves } = await readChildren(objects, id);
    for (const child of inner) seen.add(child);
    for (const leaf of leaves) if (!hasId(packed, leaf) && !(await isHere(leaf))) return false;
  }
  return true;
}

/** What leads on, and what does not. */
interface Children {
  readonly inner: readonly GitId[];
  readonly leaves: readonly GitId[];
}

const NONE: Children = { inner: [], leaves: [] };
const TREE = "40000";
const OTHER_REPOSITORY = "160000";

/** None of what is too large or no tree: readers refuse that file or folder alone, and say so. */
async function readChildren(objects: ObjectStore, id: GitId): Promise<Children> {
  try {
    const object = await objects.read(id, treeSizeBytesMax(LIMITS.treeEntriesMax));
    if (object?.type === "commit") {
      const { tree, parents } = parseRawCommit(id, object.content);
      return { inner: [tree, ...parents], leaves: [] };
    }
    return object?.type === "tree" ? toChildren(object.content) : NONE;
  } catch (error) {
    if (isTeamMemoryError(error) && (error.code === "too_large" || error.code === "repository_damaged")) return NONE;
    throw error;
  }
}

function toChildren(content: Buffer): Children {
  const entries = parseRawTree(content, LIMITS.treeEntriesMax).filter(({ mode }) => mode !== OTHER_REPOSITORY);
  const idsOf = (isInner: boolean) =>
    entries.filter(({ mode }) => (mode === TREE) === isInner).map((entry) => entry.id);
  return { inner: idsOf(true), leaves: idsOf(false) };
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
