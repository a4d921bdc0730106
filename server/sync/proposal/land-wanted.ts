import type { PublishOutcome } from "../../git/port.ts";
import type { TurnContext } from "../world/turn-context.ts";
import { commitProposal, type ProposalWords } from "./commit-proposal.ts";
import { beginAt } from "./plan-branch.ts";
import type { LandingPlan } from "./plan-landing.ts";
import { toProposalRef } from "./refs.ts";
import { toPutWords, type WantedCommit, writeTexts } from "./wanted-commit.ts";

/**
 * Puts on the base what needs no review. Of a set that is there as a whole the branch goes with it; else what is left is
 * planned anew on the base that then is, and a kill before that leaves it to the same set, sent again.
 */
export async function landWanted(
  context: TurnContext,
  commit: WantedCommit,
  landing: LandingPlan,
): Promise<PublishOutcome> {
  const { put, wanted, open } = commit;
  const { changes, isPart } = landing;
  await writeTexts(context.git, wanted, ({ key }) => changes.has(key));
  const words = toLandingWords(commit, landing);
  return context.land({
    ...{ project: put.project, id: put.id, changes },
    commit: (parent) => commitProposal(context, beginAt(parent, changes), words),
    moveBranch: async () =>
      isPart || open === null ? null : { ref: toProposalRef(open.id), expectedOld: open.head, new: null },
  });
}

function toLandingWords(commit: WantedCommit, { changes, isPart }: LandingPlan): ProposalWords {
  const plan = { ...commit.plan, net: changes, sent: new Map() };
  const { trailers, ...words } = toPutWords({ ...commit, plan });
  return { ...words, trailers: { ...trailers, head: commit.open?.head ?? null, part: isPart } };
}
