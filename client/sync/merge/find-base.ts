import { toCanonical } from "../../../shared/memory/to-canonical.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { toTextOrNull } from "../folder/read-local.ts";
import { type Copies, readChecked } from "../pull/copies.ts";
import { readAttic } from "../state/attic.ts";
import type { PackName } from "../state/head.ts";
import { listAtticOf } from "../state/list-attic.ts";
import type { Outbox } from "../state/outbox.ts";
import { findReplaced } from "../state/pristine.ts";

export interface BaseSources {
  readonly stateFolder: string;
  readonly copies: Copies;
  readonly packs: readonly PackName[];
  /** As it was before the answer's outcomes were settled in it. */
  readonly outbox: Outbox;
}

/**
 * The canonical text that an edit started from: the pristine copy; what was last sent of it, where that has merged; or, of
 * a key that could not be placed in an earlier round, an older copy or what the attic keeps of it. Null: it is nowhere.
 */
export function findBase(
  { stateFolder, copies, packs, outbox }: BaseSources,
  key: string,
  blob: string,
): string | null {
  const copy = copies.before.get(key);
  if (copy?.canonicalBlob === blob) return toCanonical(readChecked(stateFolder, copy));
  const sent = outbox.open?.changes.find((change) => change.key === key && change.blob === blob);
  if (sent !== undefined) return sent.text;
  const replaced = findReplaced(stateFolder, packs, { key, canonicalBlob: blob });
  if (replaced !== null) return toCanonical(readChecked(stateFolder, replaced));
  return findInAttic(stateFolder, key, blob);
}

function findInAttic(stateFolder: string, key: string, blob: string): string | null {
  for (const { path } of listAtticOf(stateFolder, key)) {
    const bytes = readAttic(stateFolder, path);
    const text = bytes === null ? null : toTextOrNull(bytes);
    if (text !== null && blobIdOf(text) === blob) return text;
  }
  return null;
}
