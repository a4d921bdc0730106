import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { ProposalOutcome } from "../../../shared/protocol/schemas.ts";
import type { SyncContext } from "../context.ts";
import { fetchProposal } from "../push/review-calls.ts";
import type { OpenProposal } from "../state/outbox.ts";

/** How this machine's proposal stands. */
export interface Heard {
  readonly id: string;
  readonly url: string;
  /** As of now; null: the service could not be asked. */
  readonly outcome: ProposalOutcome | null;
  /** Why it could not: an error's code. */
  readonly failure: string | null;
}

/** One short call, and only where the service is known to have a proposal. Null: it has none; never throws a TeamMemoryError. */
export async function askOutcome(context: SyncContext, open: OpenProposal | null): Promise<Heard | null> {
  if (open === null || open.acknowledged === null) return null;
  const known = { id: open.id, url: open.acknowledged.url };
  try {
    const { state, seq, reason, url, changes } = await fetchProposal(context, open.id, LIMITS.statusTimeoutMs);
    const rejected = changes.filter((change) => change.state === "rejected").map(({ key }) => key);
    return { ...known, outcome: { state, seq, reason, url, rejected }, failure: null };
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    return { ...known, outcome: null, failure: error.code };
  }
}
