/** What approving a proposal, or some of its keys, puts on the base: pure, against the base as it is now. */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { escapeForDisplay } from "../../../shared/path/escape-for-display.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { GitId } from "../../git/port.ts";
import type { HistoryIndex } from "../history/history-index.ts";
import { judgeProposal } from "../proposal/judge-proposal.ts";
import type { KeyChange, OpenProposal } from "../proposal/proposal.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

export interface ApprovalFacts {
  readonly open: OpenProposal;
  /** The project on the current base. */
  readonly snapshot: Snapshot;
  readonly index: HistoryIndex;
  /** Null: all of them. */
  readonly keys: readonly string[] | null;
  /** Keys that the base has changed since, with the text that holds both changes; not those in conflict. */
  readonly merged: ReadonlyMap<MemoryKey, GitId>;
  /** The head that was reviewed; null: whatever it is. */
  readonly head: GitId | null;
}

export interface ApprovalPlan {
  /** What the base gets. */
  readonly taken: ReadonlyMap<MemoryKey, KeyChange>;
  /** What stays proposed. */
  readonly rest: ReadonlyMap<MemoryKey, KeyChange>;
  /**
   * The branch is done with; or begins anew on the new base, so that what was merged does not come up again; or is left as
   * it is, because a person has committed to it, a part of the rest is in conflict, or it holds more than memories.
   */
  readonly branch: "delete" | "rebuild" | "leave";
}

/** @throws TeamMemoryError proposal_outdated, proposal_changed, bad_request, unprocessable_proposal */
export function planApproval(facts: ApprovalFacts): ApprovalPlan {
  const { open, snapshot, index, merged } = facts;
  assertHead(facts);
  const selected = selectKeys(facts);
  const standing = judgeProposal(index, open);
  const waiting = [...open.changes].filter(([key]) => standing.get(key) !== "stood");
  const blobNow = (key: MemoryKey) => snapshot.blobs.get(key) ?? null;
  const isFree = ([key, { base }]: readonly [MemoryKey, KeyChange]) => blobNow(key) === base;
  const taken = waiting
    .filter(([key]) => selected.has(key))
    .map(([key, change]): [MemoryKey, KeyChange] => {
      const both = merged.get(key);
      return [key, both === undefined ? change : { base: blobNow(key), blob: both }];
    });
  const blocked = taken.filter((change) => !isFree(change));
  if (blocked.length > 0) throw toOutdated(facts, blocked);
  const rest = waiting.filter(([key]) => !selected.has(key));
  return {
    taken: new Map(taken),
    rest: new Map(rest),
    branch: planBranch(open, rest.length === 0, rest.every(isFree)),
  };
}

function planBranch(open: OpenProposal, isDone: boolean, isRestFree: boolean): ApprovalPlan["branch"] {
  if (open.foreign.length > 0) return "leave";
  if (isDone) return "delete";
  return open.hasHumanCommits || !isRestFree ? "leave" : "rebuild";
}

function assertHead({ open, head }: ApprovalFacts): void {
  if (head === null || head === open.head) return;
  const message = `Could not approve proposal ${open.id}: it has changed since it was reviewed`;
  throw new TeamMemoryError("proposal_changed", message, { details: { head: open.head } });
}

/** With the texts' ids, as its author is told of a conflict. */
function toOutdated({ open, snapshot }: ApprovalFacts, blocked: readonly (readonly [MemoryKey, KeyChange])[]) {
  const what = blocked.length === 1 ? "a memory" : `${blocked.length} memories`;
  const message = `Could not approve proposal ${open.id}: the team has changed ${what} of it meanwhile`;
  const keys = blocked.map(([key, { base, blob }]) => {
    return { key, baseBlob: base, current: snapshot.blobs.get(key) ?? null, wanted: blob };
  });
  return new TeamMemoryError("proposal_outdated", message, { details: { keys } });
}

/** A key that was approved before is no mistake: the same call twice comes to the same. */
function selectKeys({ open, index, keys }: ApprovalFacts): ReadonlySet<string> {
  if (keys === null) return assertAllMergeable(open);
  const merged = new Set<string>(index.merges(open.id).flatMap((merge) => merge.keys.map(({ key }) => key)));
  const unknown = keys.filter((key) => !(open.changes as ReadonlyMap<string, unknown>).has(key) && !merged.has(key));
  if (unknown.length === 0) return new Set(keys);
  const message = `Could not find in proposal ${open.id}: ${unknown.map(escapeForDisplay).join(", ")}`;
  throw new TeamMemoryError("bad_request", message, { details: { field: "keys", keys: unknown } });
}

/** What the service cannot merge would be lost with the branch: such a branch is merged with git, or key by key. */
function assertAllMergeable({ id, changes, foreign }: OpenProposal): ReadonlySet<string> {
  if (foreign.length === 0) return new Set(changes.keys());
  const message = `Could not approve all of proposal ${id}: its branch changes what is no memory of the project`;
  throw new TeamMemoryError("unprocessable_proposal", message, { details: { paths: foreign } });
}
