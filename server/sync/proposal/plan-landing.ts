/**
 * What a project without review takes at once of a set: additions and edits. Removals and renames wait for a reviewer even
 * there, and so does what could only stand once they are merged. Pure.
 */
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { GitId } from "../../git/port.ts";
import { findSetFailures } from "./check-set.ts";
import type { CommitPlan } from "./plan-proposal.ts";
import type { KeyChange } from "./proposal.ts";
import type { ProposalFacts } from "./proposal-facts.ts";

export interface LandingPlan {
  /** What the base gets; never empty. */
  readonly changes: ReadonlyMap<MemoryKey, KeyChange>;
  /** True: something of the set stays proposed, or the branch is not the service's alone. */
  readonly isPart: boolean;
}

/** Null: nothing can go to the base. */
export function planLanding(facts: ProposalFacts, { net }: Pick<CommitPlan, "net">): LandingPlan | null {
  const left = findLeftTexts(facts, net);
  const isOwn = findOwnTexts(facts);
  const fit = [...net].filter(([key, change]) => {
    const { base, blob } = change;
    const isText = blob !== null && !(base === null && left.has(blob));
    return isText && isOwn(key, blob) && base === (facts.snapshot.blobs.get(key) ?? null);
  });
  const changes = fit.map(([key, { blob }]) => ({ key, blob }));
  const blocked = new Set(findSetFailures(facts.snapshot, { changes }).map(({ key }) => key));
  const landing = new Map(fit.filter(([key]) => !blocked.has(key)));
  const isPart = landing.size < net.size || facts.open?.hasHumanCommits === true;
  return landing.size === 0 ? null : { changes: landing, isPart };
}

/** Texts that the set takes from a key: another key that gets one is a rename. */
function findLeftTexts({ snapshot }: ProposalFacts, net: CommitPlan["net"]): ReadonlySet<GitId> {
  const removed = [...net].filter(([, { blob }]) => blob === null);
  const texts = removed.flatMap(([key, { base }]) => [base, snapshot.files.get(key)?.canonicalBlob ?? null]);
  return new Set(texts.filter((text) => text !== null));
}

/** What a person has committed to the branch was said by nobody who may write without review. */
function findOwnTexts({ wanted }: ProposalFacts): (key: MemoryKey, blob: GitId) => boolean {
  const own = new Map(wanted.changes.map(({ key, blob }) => [key, blob]));
  return (key, blob) => own.get(key) === blob;
}
