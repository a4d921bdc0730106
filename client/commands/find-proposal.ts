import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { SyncContext } from "../sync/context.ts";
import { fetchProposals } from "../sync/push/review-calls.ts";
import { toUsageError } from "./to-usage-error.ts";

/**
 * The id of the proposal that a person means: whole, or enough of its beginning to tell it from the other open ones; in any
 * case of letters; as it stands at the end of its branch or link, too.
 *
 * @throws TeamMemoryError `usage`, `not_found`, and as the call
 */
export async function findProposal(context: SyncContext, said: string): Promise<string> {
  const beginning = said.slice(said.lastIndexOf("/") + 1).toUpperCase();
  if (!/^[0-9A-HJKMNP-TV-Z]{1,26}$/.test(beginning)) throw toUsageError("review", `Not a proposal's id: ${said}`);
  if (beginning.length === ID_LENGTH) return beginning;
  if (beginning.length < LIMITS.proposalIdBeginningLengthMin) throw toTooShort(said);
  return chooseProposal(await fetchProposals(context), beginning);
}

const ID_LENGTH = 26;

/** A slip of the keys must not decide about a proposal because it is the only one that begins so. */
function toTooShort(said: string): TeamMemoryError {
  const min = LIMITS.proposalIdBeginningLengthMin;
  return toUsageError("review", `Say ${min} characters of the proposal's id, or more: ${said}`);
}

function chooseProposal(open: readonly { readonly id: string }[], beginning: string): string {
  const ids = open.map(({ id }) => id).filter((id) => id.startsWith(beginning));
  const [first] = ids;
  if (first === undefined) throw new TeamMemoryError("not_found", `No open proposal begins with ${beginning}`);
  if (ids.length > 1) throw toUsageError("review", `More than one open proposal begins so: ${ids.join(", ")}`);
  return first;
}
