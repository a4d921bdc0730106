import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { assertSendable } from "../../../shared/secret/assert-sendable.ts";
import { mergeMemory } from "../../../shared/sync/merge-memory.ts";
import type { GitId } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import type { OpenProposal } from "../proposal/proposal.ts";
import type { BlobText } from "../snapshot/blob-texts.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

/**
 * For those of the keys (null: all) that the base has changed since the proposal began, and that were not approved yet: the
 * text that holds both changes, written as a blob, where they merge without a conflict. It is no more than what was
 * reviewed on each side, so a pinned head does not forbid it.
 */
export async function mergeMoved(
  { git, texts }: Pick<EngineContext, "git" | "texts">,
  { changes, approved }: Pick<OpenProposal, "changes" | "approved">,
  { snapshot, keys }: { readonly snapshot: Pick<Snapshot, "blobs">; readonly keys: readonly string[] | null },
): Promise<ReadonlyMap<MemoryKey, GitId>> {
  const merged = new Map<MemoryKey, GitId>();
  for (const [key, { base, blob }] of changes) {
    if (approved.has(key) || keys?.includes(key) === false) continue;
    const current = snapshot.blobs.get(key) ?? null;
    if (current === base || current === null || blob === null) continue;
    const read = await texts.read([current, blob, ...(base === null ? [] : [base])]);
    const text = mergeTexts(key, read.get(base ?? ""), read.get(blob), read.get(current));
    if (text !== null) merged.set(key, await git.writeBlob(new TextEncoder().encode(text)));
  }
  return merged;
}

/** Null: a conflict, or a text that nobody may propose. `base` undefined: both are new. */
function mergeTexts(
  key: MemoryKey,
  base: BlobText | undefined,
  mine: BlobText | undefined,
  theirs: BlobText | undefined,
): string | null {
  if (mine === undefined || theirs === undefined || "rule" in mine || "rule" in theirs) return null;
  if (base !== undefined && "rule" in base) return null;
  const merged = mergeMemory(base?.text ?? null, mine.text, theirs.text);
  return merged.kind === "merged" && isSendable(key, merged.text) ? merged.text : null;
}

function isSendable(key: MemoryKey, text: string): boolean {
  try {
    assertSendable(key, text);
    return true;
  } catch (error) {
    if (isTeamMemoryError(error)) return false;
    throw error;
  }
}
