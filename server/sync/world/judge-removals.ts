import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import { parseSignedCommit } from "../proposal/signed-commit.ts";
import { readProjectTree } from "../snapshot/read-project-tree.ts";
import { type Bases, findLost, type Hold, isAccepted, isMassRemoval } from "./hold.ts";

interface Step {
  readonly project: ProjectName;
  /** The folder that is served; undefined: none is. */
  readonly from: GitId | undefined;
  readonly to: GitId | null;
  /** The base's commit now. */
  readonly revision: GitId;
  /** What was held of the project so far. */
  readonly known: Hold | null;
  readonly bases: Bases;
}

/**
 * Null: the project may go on. What is held already keeps the revision by which it is accepted, wherever the base goes. What
 * a reviewer has approved through the service is wanted, also where a process sees it that did not merge it, or was killed.
 */
export async function judgeRemovals(context: EngineContext, step: Step): Promise<Hold | null> {
  const { project, from, to, revision, known, bases } = step;
  if (from === undefined || from === to || isAccepted(bases, { project, from, to })) return null;
  if (known?.from === from && known.to === to) return known;
  const { readFolder } = context;
  const before = await readProjectTree(readFolder, from, new Map());
  const after = to === null ? new Map<string, GitId>() : (await readProjectTree(readFolder, to, before.files)).files;
  const lost = findLost(before.files, after);
  const of = before.files.size;
  if (!isMassRemoval(lost.length, of)) return null;
  const unasked = await findUnasked(context, project, lost);
  return isMassRemoval(unasked.length, of) ? { project, from, to, revision, lost: unasked.length, of } : null;
}

/** Those that were not taken away by a commit in which the service merged an approved proposal. */
async function findUnasked(
  context: EngineContext,
  project: ProjectName,
  lost: readonly string[],
): Promise<readonly string[]> {
  const index = context.history.index();
  const removals = lost.map((key) => ({ key, revision: index.entries(project, key).at(-1)?.revision }));
  const approved = new Set<GitId>();
  for (const revision of new Set(removals.map((removal) => removal.revision))) {
    if (revision !== undefined && (await isApproval(context, project, revision))) approved.add(revision);
  }
  return removals.flatMap(({ key, revision }) => (revision !== undefined && approved.has(revision) ? [] : [key]));
}

async function isApproval(context: EngineContext, project: ProjectName, revision: GitId): Promise<boolean> {
  const signed = parseSignedCommit(context, await context.git.readCommit(revision));
  if (signed === null || !signed.isSealed) return false;
  return signed.trailers.reviewer !== null && signed.trailers.project === project;
}
