import { assertNoSecretFields } from "../../../shared/secret/assert-no-secret-fields.ts";
import { currentSnapshot, type EngineContext } from "../engine-context.ts";
import { toWords } from "../proposal/commit-proposal.ts";
import { formatMessage } from "../proposal/trailers.ts";
import type { Approval } from "./approve.ts";
import { assertMergeable } from "./assert-mergeable.ts";
import { findLeftBehind } from "./find-left-behind.ts";
import { mergeMoved } from "./merge-moved.ts";
import { planApproval } from "./plan-approval.ts";

/**
 * Has the forge merge the whole pull request, so that its own rules hold and its own page says "merged". Squashed only where
 * a text was withdrawn that a merge would take along. Not without a pull request, not for a part, and not where the base has changed the same memories:
 * no forge merges those as we do, and the approval lands by git.
 *
 * @returns whether the forge has merged it
 * @throws TeamMemoryError proposal_outdated, proposal_changed, unprocessable_proposal, unavailable, and as the forge refuses
 */
export async function approveOnForge(context: EngineContext, approval: Approval): Promise<boolean> {
  const { project, id, keys, head, reviewer } = approval;
  const open = context.world().open.get(id);
  if (keys !== null || open?.project !== project) return false;
  // Without one, which a forge may refuse to make, there is nothing to merge there.
  if (context.desk === null || context.desk.urlOf(id) === null) return false;
  const reviewedBy = `${reviewer.name} <${reviewer.email}>`;
  assertNoSecretFields({ reviewer: reviewedBy });
  const snapshot = await currentSnapshot(context, project);
  const merged = await mergeMoved(context, open, { snapshot, keys });
  const plan = planApproval({ open, snapshot, index: context.history.index(), keys, merged, head });
  if (plan.taken.size === 0 || merged.size > 0) return false;
  await assertMergeable(context.texts, snapshot, plan.taken);
  const squash = (await findLeftBehind(context, open)).size > 0;
  const { title, trailers } = toWords(open, plan.taken);
  const [, ...lines] = formatMessage(title, { ...trailers, reviewer: reviewedBy, head: open.head }).split("\n");
  const message = squash ? lines.join("\n").trim() : `Reviewed-by: ${reviewedBy}`;
  await context.desk.merge(id, { head: open.head, title, message, squash });
  return true;
}
