/**
 * Many blobs at once. Loose ones are read here; of packed ones git, where it is there, tells the size before the content
 * is inflated. Without it they are inflated whole before they are found too large: packs then come from nobody but
 * whoever runs the service, for pushes need git.
 */
import { LIMITS } from "../../shared/limits.ts";
import { readBlobContents, readBlobSizes } from "./cat-file.ts";
import type { GitBinary } from "./git-binary.ts";
import { forEachInParallel } from "./in-parallel.ts";
import { readLooseObject } from "./loose-object.ts";
import type { GitObject } from "./objects.ts";
import type { GitId } from "./port.ts";
import { errorCodeOf } from "./translate-git-error.ts";

interface Source {
  readonly gitDir: string;
  readonly git: GitBinary | null;
  /** One object, wherever it is. */
  readonly read: (id: GitId, sizeBytesMax: number) => Promise<GitObject | null>;
}

type Blobs = Map<GitId, Uint8Array | null>;

/** Null for one that is too large; none for an id that names no sound blob, for it must not hide the others. */
export async function readBlobs(source: Source, ids: readonly GitId[], sizeBytesMax: number): Promise<Blobs> {
  const { gitDir, git, read } = source;
  const found: Blobs = new Map();
  const elsewhere = await readEach(found, [...new Set(ids)], (id) => readLooseObject(gitDir, id, sizeBytesMax));
  const rest =
    git === null ? elsewhere : await readThroughGit(found, { binary: git, gitDir, ids: elsewhere, sizeBytesMax });
  await readEach(found, rest, (id) => read(id, sizeBytesMax));
  return found;
}

/** Adds to `found` what `read` gives; the ids for which it gave nothing. */
async function readEach(
  found: Blobs,
  ids: readonly GitId[],
  read: (id: GitId) => Promise<GitObject | null>,
): Promise<readonly GitId[]> {
  const absent: GitId[] = [];
  await forEachInParallel(ids, async (id) => {
    const content = await readContent(id, read);
    if (content === "absent") absent.push(id);
    else if (content !== "no blob") found.set(id, content);
  });
  return absent;
}

async function readContent(
  id: GitId,
  read: (id: GitId) => Promise<GitObject | null>,
): Promise<Uint8Array | null | "absent" | "no blob"> {
  try {
    const object = await read(id);
    if (object === null) return "absent";
    return object.type === "blob" ? object.content : "no blob";
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === "too_large") return null;
    if (code === "repository_damaged") return "no blob";
    throw error;
  }
}

interface GitSource {
  readonly binary: GitBinary;
  readonly gitDir: string;
  readonly ids: readonly GitId[];
  readonly sizeBytesMax: number;
}

/** Adds packed blobs to `found`; the ids that git could not answer for (one damaged object ends its whole run). */
async function readThroughGit(
  found: Blobs,
  { binary, gitDir, ids, sizeBytesMax }: GitSource,
): Promise<readonly GitId[]> {
  if (ids.length === 0) return [];
  try {
    const sizes = await readBlobSizes({ binary, gitDir, ids });
    for (const [id, size] of sizes) if (size > sizeBytesMax) found.set(id, null);
    for (const batch of planBatches(
      ids.filter((id) => sizes.has(id) && !found.has(id)),
      sizes,
    )) {
      for (const [id, content] of await readBlobContents({ binary, gitDir, ids: batch }, sizes)) found.set(id, content);
    }
  } catch {
    // What is missing from `found` is read one by one, and fails for a reason of its own.
  }
  return ids.filter((id) => !found.has(id));
}

/** As many as fit into one bounded answer of git. */
export function planBatches(ids: readonly GitId[], sizes: ReadonlyMap<GitId, number>): readonly (readonly GitId[])[] {
  const batches: GitId[][] = [];
  let batchSizeBytes = Number.POSITIVE_INFINITY;
  for (const id of ids) {
    const size = sizes.get(id) ?? 0;
    if (batchSizeBytes + size > LIMITS.gitOutputSizeBytesMax) {
      batches.push([]);
      batchSizeBytes = 0;
    }
    batches.at(-1)?.push(id);
    batchSizeBytes += size;
  }
  return batches;
}
