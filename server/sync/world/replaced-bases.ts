/**
 * Revisions that clients hold and the base no longer has, because it was rewritten. That a commit lies in the repository
 * says nothing of it: it may be a proposal's, and the repository an older backup.
 */
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { GitId, GitPort } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import { BASES_FILE } from "./bases-file.ts";
import { type Bases, planReplaced } from "./hold.ts";
import type { World } from "./world.ts";

/** Whether a base that gave way to another contained the revision. The walk is made once for the same bases. */
export function buildReplacedBases({ git, state }: Pick<EngineContext, "git" | "state">) {
  let last = { tips: "", ids: Promise.resolve<ReadonlySet<GitId>>(new Set()) };
  return async (revision: GitId): Promise<boolean> => {
    const { accepted } = await state.read(BASES_FILE);
    const newestFirst = accepted.filter(({ project }) => project === null).toReversed();
    const tips = newestFirst.map(({ from }) => from);
    if (tips.join() !== last.tips) last = { tips: tips.join(), ids: walkBack(git, tips) };
    return (await last.ids).has(revision);
  };
}

/** The tips count also where their commits are not here: a fresh mirror fetches nothing that the remote let go. */
async function walkBack(git: Pick<GitPort, "readCommit">, tips: readonly GitId[]): Promise<ReadonlySet<GitId>> {
  const seen = new Set(tips);
  for (const id of seen) {
    for (const parent of await readParents(git, id)) if (seen.size < LIMITS.replacedRevisionsMax) seen.add(parent);
  }
  return seen;
}

async function readParents(git: Pick<GitPort, "readCommit">, id: GitId): Promise<readonly GitId[]> {
  try {
    return (await git.readCommit(id)).parents;
  } catch (error) {
    if (isTeamMemoryError(error) && error.code === "not_found") return [];
    throw error;
  }
}

/**
 * Whoever has the disk of a repository may rewrite its base, and is asked by nobody. Where that cannot be recorded, clients
 * that hold the old one are told `behind`, not given another base without a word.
 */
export async function recordReplaced(context: EngineContext, before: World, bases: Bases, base: GitId): Promise<void> {
  const { history, state, clock, log } = context;
  if (before.base === "" || history.index().ordinal(before.base) !== undefined) return;
  const replaced = { from: before.base, to: base, at: clock().toISOString() };
  if (planReplaced(bases, replaced) === bases) return;
  log.warn(replaced, "The base was rewritten; goes on from it as it is");
  try {
    await state.update(BASES_FILE, (newest) => ({ value: planReplaced(newest, replaced), result: undefined }));
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    log.error({ err: error }, "That the base was rewritten could not be recorded");
  }
}
