/**
 * Where our own state lies on a remote: on a reference that no clone sees, or, where the host refuses or hides references
 * that are no branches, on a branch. Which of the two is read from the remote, so that every replica finds the same.
 */
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { HIDDEN_REF } from "../create-repository.ts";
import type { RefUpdate } from "../port.ts";
import { pushOnce } from "./push-once.ts";
import type { RemoteRefs, Transport } from "./transport.ts";

const STATE_BRANCH = "refs/heads/team-memory-state";

/** Null: nowhere yet. A branch beside the reference counts for nothing: whoever may push branches could make it. */
export function findStateRef(listed: RemoteRefs): string | null {
  return [HIDDEN_REF, STATE_BRANCH].find((ref) => listed.has(ref)) ?? null;
}

/**
 * The first push of the state, to a remote that shows none: the name under which it stands there then; null where another
 * was first. Throws the refusal where the branch is refused, too.
 */
export async function beginState(transport: Transport, update: RefUpdate): Promise<string | null> {
  const outcome = await pushOnce(transport, [update]).catch(nullWhenRefused);
  if (outcome?.kind === "lost") return null;
  // Refused here and taken of another replica meanwhile: that one's is the state.
  if ((await transport.listRefs()).has(HIDDEN_REF)) return outcome === null ? null : HIDDEN_REF;
  const { kind } = await pushOnce(transport, [{ ...update, ref: STATE_BRANCH, expectedOld: null }]);
  return kind === "published" ? STATE_BRANCH : null;
}

function nullWhenRefused(error: unknown): null {
  if (isTeamMemoryError(error) && error.code === "remote_refused") return null;
  throw error;
}
