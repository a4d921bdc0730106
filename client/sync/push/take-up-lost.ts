import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { toCanonical } from "../../../shared/memory/to-canonical.ts";
import { isMemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { ProposalDetail } from "../../../shared/protocol/schemas.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { type SyncContext, toWhere } from "../context.ts";
import { writeHead } from "../state/head.ts";
import type { State } from "../state/journal.ts";
import { type OpenProposal, type SentChange, writeOutbox } from "../state/outbox.ts";
import { readState } from "../state/state.ts";
import { planRaised } from "./plan-outbox.ts";
import { fetchProposal } from "./review-calls.ts";

/** The head names a proposal that the outbox knows nothing of: that file was damaged, or is gone. */
function isProposalLost({ head, outbox }: Pick<State, "head" | "outbox">): boolean {
  return outbox.open === null && head.proposals.length > 0;
}

/**
 * Takes a lost proposal up again as the service has it, under its own id: a second one beside it would propose the same
 * texts twice, and those whose files are missing here would never come back. Called by who holds the lock.
 *
 * @param timeoutMs for the call; LIMITS.responseTimeoutMs where left out
 * @throws TeamMemoryError where the service does not say; nothing is forgotten then
 */
export async function takeUpLost(context: SyncContext, timeoutMs?: number): Promise<void> {
  const { stateFolder } = context;
  const state = readState(stateFolder, toWhere(context));
  const [id] = state.head.proposals;
  if (!isProposalLost(state) || id === undefined) return;
  const detail = await fetchKnown(context, id, timeoutMs);
  if (detail === null) writeHead(stateFolder, { ...state.head, proposals: [] });
  else writeOutbox(stateFolder, { ...state.outbox, open: toOpen(id, detail, Date.now()) });
}

async function fetchKnown(context: SyncContext, id: string, timeoutMs?: number): Promise<ProposalDetail | null> {
  try {
    return await fetchProposal(context, id, timeoutMs);
  } catch (error) {
    if (isTeamMemoryError(error) && error.code === "not_found") return null;
    throw error;
  }
}

/**
 * One set ahead of what the service has: what is sent next counts, whatever it is. What the service has stands behind it,
 * for an outcome to be about, also where a text is not told any more.
 */
function toOpen(id: string, { seq, url, changes, diff }: ProposalDetail, nowMs: number): OpenProposal {
  const textOf = new Map(diff.map((one) => [one.key, one]));
  const wanted = changes.filter(({ key, state }) => state === "proposed" && isMemoryKey(key));
  const known: OpenProposal = {
    id,
    seq,
    changes: wanted.flatMap((change) => toSent(change, textOf.get(change.key)) ?? []),
    restore: [],
    acknowledged: null,
    earlier: [{ seq, changes: changes.map(({ key, blob }) => ({ key, blob })) }],
  };
  return { ...planRaised(known, seq, nowMs), acknowledged: { seq, url, atMs: nowMs } };
}

/** Null: its text is not told, and no removal may be made of that. */
function toSent(
  { key, baseBlob, blob }: ProposalDetail["changes"][number],
  texts: ProposalDetail["diff"][number] | undefined,
): SentChange | null {
  const base = toBlob(texts?.before ?? null);
  if (blob === null) return { key, baseBlob, base: base ?? baseBlob, text: null, blob };
  if (texts == null || texts.after === null) return null;
  const text = toCanonical(texts.after);
  return { key, baseBlob, base, text, blob: blobIdOf(text) };
}

function toBlob(text: string | null): string | null {
  return text === null ? null : blobIdOf(toCanonical(text));
}
