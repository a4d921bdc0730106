import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { assertSendable } from "../../../shared/secret/assert-sendable.ts";
import { assertNoFailures, findSetFailures } from "../proposal/check-set.ts";
import { type KeyFailure, toKeyFailure } from "../proposal/parse-request.ts";
import type { KeyChange } from "../proposal/proposal.ts";
import type { BlobText, BlobTexts } from "../snapshot/blob-texts.ts";
import { TREE_RULES } from "../snapshot/quarantine.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

/**
 * A person may have committed anything to the branch since the client's texts were checked.
 * @throws TeamMemoryError unprocessable_proposal
 */
export async function assertMergeable(
  texts: BlobTexts,
  snapshot: Snapshot,
  taken: ReadonlyMap<MemoryKey, KeyChange>,
): Promise<void> {
  const failures = await findTextFailures(texts, taken);
  const changes = [...taken].map(([key, { blob }]) => ({ key, blob }));
  assertNoFailures([...failures, ...findSetFailures(snapshot, { changes })]);
}

/** Why each of these texts is no memory that anyone may propose. */
export async function findTextFailures(
  texts: BlobTexts,
  changes: ReadonlyMap<MemoryKey, KeyChange>,
): Promise<readonly KeyFailure[]> {
  const blobs = await texts.read([...changes.values()].flatMap(({ blob }) => blob ?? []));
  return [...changes].flatMap(([key, { blob }]) => {
    const text = blob === null ? undefined : blobs.get(blob);
    return text === undefined ? [] : (judgeText(key, text) ?? []);
  });
}

function judgeText(key: MemoryKey, blob: BlobText): KeyFailure | null {
  if ("rule" in blob)
    return { key, code: "invalid_memory", message: `${key} ${TREE_RULES[blob.rule]}`, rule: blob.rule };
  try {
    assertSendable(key, blob.text);
    return null;
  } catch (error) {
    if (isTeamMemoryError(error)) return toKeyFailure(key, error);
    throw error;
  }
}
