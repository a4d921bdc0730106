import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { type SyncContext, toWhere } from "../context.ts";
import { readUnblocked } from "../folder/blocked-key.ts";
import { type LocalText, toTextOrNull } from "../folder/read-local.ts";
import { readAttic } from "../state/attic.ts";
import { readPristine } from "../state/pristine.ts";
import { readState } from "../state/state.ts";
import { grantWish } from "./grant-wish.ts";
import { keepDecided } from "./keep-decided.ts";

export interface TakenFromAttic {
  /** Where it was, below the attic. */
  readonly path: string;
  /** What lay in its place. */
  readonly was: "same" | "other" | "nothing";
  /** It is what the team has. */
  readonly isReviewed: boolean;
  /** A conflict about it waited, and is decided by this. */
  readonly isDecided: boolean;
}

/**
 * A text of the attic in place again, as the person's own: what lies there goes to the attic in turn. Called by who holds
 * the lock.
 *
 * @throws TeamMemoryError `invalid_memory` where it is no text, `not_here`, `busy`, `disk`, `disk_full`
 */
export async function restoreFromAttic(context: SyncContext, key: MemoryKey, path: string): Promise<TakenFromAttic> {
  const bytes = readAttic(context.stateFolder, path);
  if (bytes === null) throw new TeamMemoryError("not_here", `The attic has no such text: ${path}`);
  const text = toTextOrNull(bytes);
  if (text === null) throw new TeamMemoryError("invalid_memory", `It is no UTF-8 text; copy it by hand: ${path}`);
  const local = readUnblocked(context.teamDir, key);
  const { marks } = readState(context.stateFolder, toWhere(context));
  const isDecided = keepDecided(context.stateFolder, key, marks);
  await grantWish(context, { kind: "take", key, text });
  const { head } = readState(context.stateFolder, toWhere(context));
  const reviewed = readPristine(context.stateFolder, head.packs)?.get(key)?.canonicalBlob;
  const blob = blobIdOf(text);
  return { path, was: toWas(local, blob), isReviewed: reviewed === blob, isDecided };
}

function toWas(local: LocalText, blob: string): TakenFromAttic["was"] {
  if (local.kind !== "file") return "nothing";
  return local.blob === blob ? "same" : "other";
}
