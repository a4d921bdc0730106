/**
 * A base that is no descendant of the last good one was rewritten or is gone. Clients would lose what they were given, so
 * the last good one stays until somebody accepts the other.
 */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { ObjectStore } from "../objects.ts";
import type { GitId, HeldBase } from "../port.ts";
import { parseRawCommit } from "../raw-commit.ts";

/** Null: the base may go on. The walk over a long history is made once for the same two. */
export function buildBaseJudge(
  objects: ObjectStore,
): (from: GitId | null, to: GitId | null) => Promise<HeldBase | null> {
  let last: HeldBase | null = null;
  return async (from, to) => {
    if (from === null || from === to) return null;
    if (last?.from === from && last.to === to) return last;
    if (to !== null && (await isDescendant(objects, to, from))) return null;
    last = { from, to };
    return last;
  };
}

/** Past the bound it counts as none: held is mended by a word, a wrong base is not. */
async function isDescendant(objects: ObjectStore, id: GitId, ancestor: GitId): Promise<boolean> {
  const seen = new Set([id]);
  for (const next of seen) {
    if (next === ancestor) return true;
    if (seen.size > LIMITS.remoteAncestryMax) return false;
    for (const parent of await readParents(objects, next)) seen.add(parent);
  }
  return false;
}

async function readParents(objects: ObjectStore, id: GitId): Promise<readonly GitId[]> {
  const object = await objects.read(id, LIMITS.commitSizeBytesMax);
  if (object?.type === "commit") return parseRawCommit(id, object.content).parents;
  throw new TeamMemoryError("repository_damaged", `could not read commit ${id}: it is missing or no commit`);
}
