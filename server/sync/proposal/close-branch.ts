import type { EngineContext } from "../engine-context.ts";
import { withOpen } from "../world/world.ts";
import type { Outcome } from "./outcome.ts";
import type { OpenProposal } from "./proposal.ts";
import { toProposalRef } from "./refs.ts";

/**
 * Ends an open proposal: first what became of it is recorded, for that is lost otherwise, then its branch is deleted where
 * it still stands at the head that was judged. Killed between the two, the next look at the remote deletes it. False: the
 * branch has moved; look again.
 */
export async function closeBranch(context: EngineContext, open: OpenProposal, outcome: Outcome): Promise<boolean> {
  await context.outcomes.record(outcome);
  const deleted = await context.git.publish([{ ref: toProposalRef(open.id), expectedOld: open.head, new: null }]);
  if (deleted.kind === "lost") return false;
  const outcomes = await context.outcomes.read();
  // Read last: others of the same turn install theirs.
  const world = context.world();
  const left = new Map(world.open);
  left.delete(open.id);
  context.install(withOpen({ ...world, outcomes }, left));
  return true;
}
