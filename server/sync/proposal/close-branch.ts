import type { EngineContext } from "../engine-context.ts";
import { takeOutcomes } from "../world/take-outcomes.ts";
import type { Outcome } from "./outcome.ts";
import type { OpenProposal } from "./proposal.ts";
import { toProposalRef } from "./refs.ts";

/**
 * Ends an open proposal: first what became of it is recorded, for that is lost otherwise, then its branch is deleted where
 * it still stands at the head that was judged. Killed between the two, the next look at the remote deletes it. False: the
 * branch has moved; look again.
 */
export async function closeBranch(context: EngineContext, ending: OpenProposal, outcome: Outcome): Promise<boolean> {
  await context.outcomes.record(outcome);
  const deleted = await context.git.publish([{ ref: toProposalRef(ending.id), expectedOld: ending.head, new: null }]);
  if (deleted.kind === "lost") return false;
  await takeOutcomes(context, (open) => new Map([...open].filter(([id]) => id !== ending.id)));
  return true;
}
