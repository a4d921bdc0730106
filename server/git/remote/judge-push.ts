/**
 * What became of a push that was not taken as a whole, or whose answer was lost: read from where the references stand now,
 * for words differ between servers and versions. Only the reason of a refusal is taken from the words.
 */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { PublishOutcome, RefUpdate } from "../port.ts";
import { toRemoteWords } from "./remote-words.ts";
import type { PushReport, RemoteRefs } from "./transport.ts";

/** Somebody held the lock, or the reference moved and moved back: trying again may succeed. */
const LOST = /cannot lock|failed to lock|unable to lock|failed to update ref|already exists|stale info|fetch first/iu;

/** What is said of the other references of an atomic push. */
const FILLER = /^(?:atomic push fail(?:ure|ed)|atomic transaction failed|transaction failed)$/iu;

/**
 * `answer`: the report, or the error in its place. Throws that error where nothing has moved, and `remote_refused` with the
 * remote's words.
 */
export function judgePush(
  updates: readonly RefUpdate[],
  now: RemoteRefs,
  answer: PushReport | TeamMemoryError,
): PublishOutcome {
  const standing = updates.map(({ ref, expectedOld, new: id }) => {
    const at = now.get(ref) ?? null;
    return { ref, isMoved: at === id, isUntouched: at === expectedOld };
  });
  const elsewhere = standing.find(({ isMoved, isUntouched }) => !isMoved && !isUntouched);
  if (elsewhere !== undefined) return { kind: "lost", ref: elsewhere.ref };
  if (standing.every(({ isMoved }) => isMoved)) return { kind: "published" };
  if (answer instanceof TeamMemoryError) throw answer;
  const refusal = findRefusal(answer, standing[0]?.ref ?? "");
  if (LOST.test(refusal.why)) return { kind: "lost", ref: refusal.ref };
  throw refused(refusal, answer.said);
}

function findRefusal({ refusals }: PushReport, first: string): { ref: string; why: string } {
  const all = [...refusals].map(([ref, why]) => ({ ref, why }));
  return all.find(({ why }) => !FILLER.test(why)) ?? all[0] ?? { ref: first, why: "" };
}

function refused({ ref, why }: { ref: string; why: string }, said: string): TeamMemoryError {
  const words = toRemoteWords(`${why}\n${said}`);
  return new TeamMemoryError("remote_refused", `could not push ${ref}: the remote says: ${words}`, {
    details: { ref, words },
  });
}
