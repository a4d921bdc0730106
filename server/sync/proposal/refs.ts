import { proposalId } from "../../../shared/protocol/schemas.ts";

/** The branch that everyone pulls. */
export const BASE_REF = "refs/heads/main";

/** Every proposal is one branch below it, named by the proposal's id. */
export const PROPOSALS_PREFIX = "refs/heads/team-memory/";

export function toProposalRef(id: string): string {
  return `${PROPOSALS_PREFIX}${id}`;
}

/** The branch's name as people type it. */
export function toBranchName(id: string): string {
  return toProposalRef(id).slice("refs/heads/".length);
}

/** Null for a branch that a person made there under another name: it is no proposal. */
export function fromProposalRef(ref: string): string | null {
  const id = ref.startsWith(PROPOSALS_PREFIX) ? ref.slice(PROPOSALS_PREFIX.length) : "";
  return proposalId.safeParse(id).success ? id : null;
}
