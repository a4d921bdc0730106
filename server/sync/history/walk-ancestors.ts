import { LIMITS } from "../../../shared/limits.ts";
import type { Commit, GitId, GitPort } from "../../git/port.ts";

export interface Ancestors {
  /** Those that the base does not have, children before parents as far as a breadth-first walk can say. */
  readonly commits: readonly Commit[];
  /** Commits of the base that the walk ended at. */
  readonly joints: readonly GitId[];
  /** False where the bound on a branch's commits ended it. */
  readonly complete: boolean;
}

/** Everything that `heads` reach and the base does not contain. */
export async function walkAncestors(
  git: Pick<GitPort, "readCommit">,
  heads: readonly GitId[],
  contains: (id: GitId) => boolean,
): Promise<Ancestors> {
  const commits = new Map<GitId, Commit>();
  const joints = new Set<GitId>();
  let layer = heads;
  while (layer.length > 0) {
    const fresh = [...new Set(layer)].filter((id) => !commits.has(id) && !contains(id));
    for (const id of layer) if (contains(id)) joints.add(id);
    if (commits.size + fresh.length > LIMITS.branchCommitsMax) return { commits: [], joints: [], complete: false };
    for (const commit of await Promise.all(fresh.map((id) => git.readCommit(id)))) commits.set(commit.id, commit);
    layer = fresh.flatMap((id) => commits.get(id)?.parents ?? []);
  }
  return { commits: [...commits.values()], joints: [...joints], complete: true };
}
