/**
 * How a proposal's branch comes to hold a set of changes and no others. A merge with plain git takes a branch's whole
 * history along: so what is no longer proposed must not stay in it, as long as nobody but the service has committed there.
 */
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { GitId } from "../../git/port.ts";
import type { KeyChange, OpenProposal } from "./proposal.ts";

/** One commit. */
export interface BranchStep {
  /** The branch's head, or a commit of the base where the branch begins, or begins again. */
  readonly parent: GitId;
  /** What the commit sets on its parent's tree; null removes. */
  readonly blobs: ReadonlyMap<MemoryKey, GitId | null>;
}

/** The best first; the next one is for a remote that refuses the one before, for it lets no branch be rewritten. */
export type BranchSteps = readonly [BranchStep, ...BranchStep[]];

/** `unfit`: keys whose text on the branch nobody may propose any more. */
export function planBranch(
  open: OpenProposal,
  net: ReadonlyMap<MemoryKey, KeyChange>,
  unfit: ReadonlySet<string>,
): BranchSteps {
  const append = { parent: open.head, blobs: toEdits(open, net) };
  const isLeft = ([key, { blob }]: readonly [MemoryKey, KeyChange]) => {
    const next = net.get(key)?.blob ?? null;
    return blob !== null && (next === null || (next !== blob && unfit.has(key)));
  };
  if (open.hasHumanCommits || ![...open.changes].some(isLeft)) return [append];
  return [beginAt(open.fork, net), append];
}

/** A branch of one commit. */
export function beginAt(parent: GitId, net: ReadonlyMap<MemoryKey, KeyChange>): BranchStep {
  return { parent, blobs: new Map([...net].map(([key, { blob }]) => [key, blob])) };
}

/** From the branch's head to the wanted set; a key that is no longer wanted goes back to what it was. */
function toEdits(open: OpenProposal, net: ReadonlyMap<MemoryKey, KeyChange>): ReadonlyMap<MemoryKey, GitId | null> {
  const edits = new Map<MemoryKey, GitId | null>();
  for (const [key, { base, blob }] of net) if ((open.changes.get(key)?.blob ?? base) !== blob) edits.set(key, blob);
  for (const [key, { base }] of open.changes) if (!net.has(key)) edits.set(key, base);
  return edits;
}
