/** What was approved, as commits on the base: each text by who wrote it. */
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { GitId, Identity } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import type { Person } from "../person.ts";
import { commitProposal, type ProposalWords, toWords } from "../proposal/commit-proposal.ts";
import { beginAt } from "../proposal/plan-branch.ts";
import type { KeyChange, OpenProposal } from "../proposal/proposal.ts";
import { findOverrides } from "../proposal/sent.ts";
import type { ApprovalPlan } from "./plan-approval.ts";

export interface Approved {
  readonly open: OpenProposal;
  readonly plan: ApprovalPlan;
  readonly reviewer: Person;
}

/** The newest of one commit or two; the first one merges a part. */
export async function commitApproval(context: EngineContext, approved: Approved, parent: GitId): Promise<GitId> {
  let base = parent;
  const steps = planCommits(approved);
  for (const [at, step] of steps.entries()) {
    const part = at < steps.length - 1 || approved.plan.branch !== "delete";
    base = await commitProposal(context, beginAt(base, step.changes), toApprovalWords(approved, step, part));
  }
  return base;
}

interface ApprovalCommit {
  readonly author: Identity;
  readonly changes: ReadonlyMap<MemoryKey, KeyChange>;
}

function planCommits({ open, plan }: Approved): readonly ApprovalCommit[] {
  const pushed = findPushed(open);
  const part = (isPushed: boolean) => new Map([...plan.taken].filter(([key]) => pushed.has(key) === isPushed));
  const commits = [
    { author: open.person, changes: part(false) },
    { author: open.pusher ?? open.person, changes: part(true) },
  ];
  return commits.filter(({ changes }) => changes.size > 0);
}

/** Keys whose text on the branch is none that the proposal's person sent: somebody has committed it there. */
export function findPushed({ changes, sent }: OpenProposal): ReadonlySet<MemoryKey> {
  const overrides = findOverrides(sent, changes);
  return new Set([...changes.keys()].filter((key) => overrides.has(key)));
}

/** Sealed whosever the text is: the seal says that a reviewer approved it here. */
function toApprovalWords(
  { open, reviewer }: Approved,
  { author, changes }: ApprovalCommit,
  part: boolean,
): ProposalWords {
  const { trailers, ...words } = toWords(open, changes);
  const approved = { reviewer: `${reviewer.name} <${reviewer.email}>`, head: open.head };
  return { ...words, author, isSealed: true, trailers: { ...trailers, ...approved, content: null, part } };
}
