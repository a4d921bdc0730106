import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { GitId } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import type { KeyChange, OpenProposal } from "../proposal/proposal.ts";
import { diffKeys } from "../snapshot/diff-keys.ts";
import { findTextFailures } from "./assert-mergeable.ts";

/**
 * Keys with a text in the branch's history that was withdrawn, or that nobody may propose any more, and is not the base's
 * anyway: a person has committed to the branch, or the remote lets none be rewritten. A merge with plain git takes it along.
 */
export async function findLeftBehind(context: EngineContext, open: OpenProposal): Promise<ReadonlySet<string>> {
  const left = new Set<string>();
  for (const commit of open.commits.length > 1 ? open.commits : []) {
    const replaced = await readReplaced(context, open, commit);
    const unfit = await findTextFailures(context.texts, replaced);
    const withdrawn = [...replaced.keys()].filter((key) => !isProposed(open, key));
    for (const key of [...withdrawn, ...unfit.map((failure) => failure.key)]) left.add(key);
  }
  return left;
}

/** Texts that a commit of the branch brought, and that the branch's head does not have. */
async function readReplaced(
  { git, readFolder, history }: EngineContext,
  open: OpenProposal,
  id: GitId,
): Promise<ReadonlyMap<MemoryKey, KeyChange>> {
  const commit = await git.readCommit(id);
  const [parent] = commit.parents;
  const before = parent === undefined ? null : (await git.readCommit(parent)).tree;
  const diff = (await diffKeys(readFolder, before, commit.tree)).find(({ project }) => project === open.project);
  const isOfBase = (key: string, blob: GitId) => history.index().entryOf(open.project, key, blob) !== undefined;
  const replaced = (diff?.keys ?? []).filter(
    ({ key, after }) => after !== null && after !== open.changes.get(key)?.blob && !isOfBase(key, after),
  );
  return new Map(replaced.map(({ key, before: base, after: blob }) => [key, { base, blob }]));
}

function isProposed({ changes }: OpenProposal, key: MemoryKey): boolean {
  return (changes.get(key)?.blob ?? null) !== null;
}
