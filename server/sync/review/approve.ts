/** The built-in review's yes: what was approved is put on the base as it is now, and the branch goes with it. */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { Proposal } from "../../../shared/protocol/schemas.ts";
import { assertNoSecretFields } from "../../../shared/secret/assert-no-secret-fields.ts";
import type { GitId, RefUpdate } from "../../git/port.ts";
import type { Attempt } from "../../state/retry-lost-race.ts";
import { currentSnapshot, type EngineContext } from "../engine-context.ts";
import type { Person } from "../person.ts";
import { commitProposal, toWords } from "../proposal/commit-proposal.ts";
import { beginAt } from "../proposal/plan-branch.ts";
import { presentById, presentEnded } from "../proposal/present-by-id.ts";
import { toProposalRef } from "../proposal/refs.ts";
import type { Landing } from "../world/landing.ts";
import type { TurnContext } from "../world/turn-context.ts";
import { assertMergeable } from "./assert-mergeable.ts";
import { type Approved, commitApproval } from "./commit-approval.ts";
import { mergeMoved } from "./merge-moved.ts";
import { planApproval } from "./plan-approval.ts";

export interface Approval {
  readonly project: ProjectName;
  readonly id: string;
  readonly keys: readonly string[] | null;
  readonly head: GitId | null;
  readonly reviewer: Person;
}

/**
 * @throws TeamMemoryError not_found, proposal_finished, proposal_outdated, proposal_changed, bad_request,
 *   unprocessable_proposal, lost_race, secret_found (its reviewer's name, which becomes a trailer)
 */
export async function approve(context: TurnContext, approval: Approval): Promise<Proposal> {
  assertNoSecretFields({ reviewer: `${approval.reviewer.name} <${approval.reviewer.email}>` });
  return context.together("the base", () => tryApprove(context, approval));
}

async function tryApprove(context: TurnContext, approval: Approval): Promise<Attempt<Proposal>> {
  const { project, id, keys, head, reviewer } = approval;
  const open = context.world().open.get(id);
  if (open?.project !== project) return { kind: "done", result: assertMerged(presentEnded(context, project, id)) };
  const snapshot = await currentSnapshot(context, project);
  const merged = await mergeMoved(context, open, { snapshot, keys });
  const plan = planApproval({ open, snapshot, index: context.history.index(), keys, merged, head });
  if (plan.taken.size > 0) {
    await assertMergeable(context.texts, snapshot, plan.taken);
    const landed = await context.land(toLanding(context, { open, plan, reviewer }));
    if (landed.kind === "lost") return { kind: "lost" };
  }
  return { kind: "done", result: presentById(context, project, id) };
}

/** Approved twice, the second time changes nothing. */
function assertMerged(proposal: Proposal): Proposal {
  if (proposal.state === "merged") return proposal;
  throw new TeamMemoryError("proposal_finished", `Could not approve proposal ${proposal.id}: it is ${proposal.state}`);
}

function toLanding(context: EngineContext, approved: Approved): Landing {
  const { open, plan } = approved;
  const { project, id } = open;
  return {
    ...{ project, id, changes: plan.taken },
    commit: (parent) => commitApproval(context, approved, parent),
    moveBranch: (base) => moveBranch(context, approved, base),
  };
}

async function moveBranch(context: EngineContext, { open, plan }: Approved, base: GitId): Promise<RefUpdate | null> {
  const move = { ref: toProposalRef(open.id), expectedOld: open.head };
  if (plan.branch === "leave") return null;
  if (plan.branch === "delete") return { ...move, new: null };
  return { ...move, new: await commitProposal(context, beginAt(base, plan.rest), toWords(open, plan.rest)) };
}
