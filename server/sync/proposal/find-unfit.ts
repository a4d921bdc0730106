import { findTextFailures } from "../review/assert-mergeable.ts";
import type { BlobTexts } from "../snapshot/blob-texts.ts";
import type { WantedSet } from "./parse-request.ts";
import type { OpenProposal } from "./proposal.ts";

/**
 * Keys of the set whose text on the branch is replaced, and is one that nobody may propose any more: a rule may be younger
 * than the branch, and a secret that is taken out must not stay in its history.
 */
export async function findUnfit(texts: BlobTexts, open: OpenProposal, wanted: WantedSet): Promise<ReadonlySet<string>> {
  const replaced = wanted.changes.flatMap(({ key, blob }) => {
    const change = open.changes.get(key);
    return change === undefined || change.blob === blob ? [] : [[key, change] as const];
  });
  const failures = await findTextFailures(texts, new Map(replaced));
  return new Set(failures.map(({ key }) => key));
}
