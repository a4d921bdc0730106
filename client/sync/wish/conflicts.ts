import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { assertProposable } from "../../../shared/memory/assert-proposable.ts";
import { toCanonical } from "../../../shared/memory/to-canonical.ts";
import { isMemoryKey, type MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { type SyncContext, toWhere } from "../context.ts";
import { toTextOrNull } from "../folder/read-local.ts";
import { joinTexts } from "../merge/join-texts.ts";
import { readChecked } from "../pull/copies.ts";
import { readAttic } from "../state/attic.ts";
import { listParked, type ParkedText } from "../state/marks.ts";
import { readPristine } from "../state/pristine.ts";
import { type OpenedState, readState } from "../state/state.ts";
import { grantWish } from "./grant-wish.ts";
import { keepDecided } from "./keep-decided.ts";
import type { Wish } from "./plan-wish.ts";

/** A memory that was changed here and by the team, in ways that do not merge, with its texts. */
export interface Conflict {
  readonly key: MemoryKey;
  /** What both started from; null: nothing, or it is not known any more. */
  readonly base: string | null;
  /** Null: what was parked is no text. */
  readonly mine: string | null;
  /** What the team has now; null: it has removed the memory since. */
  readonly theirs: string | null;
  /** Where mine is, below the attic; then what was parked of it before. */
  readonly parked: readonly string[];
}

export type Resolution =
  | { readonly kind: "mine" | "theirs" | "both" }
  /** A text that was made of them. */
  | { readonly kind: "text"; readonly text: string };

/** By key. @throws TeamMemoryError `state_damaged`, `disk` */
export function readConflicts(context: SyncContext): Conflict[] {
  const state = readState(context.stateFolder, toWhere(context));
  const found = [...state.marks].flatMap(([key, marks]) =>
    marks.conflict === undefined || !isMemoryKey(key)
      ? []
      : [{ key, conflict: marks.conflict, parked: listParked(marks) }],
  );
  return found.map((one) => toConflict(context, state, one)).sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** @throws TeamMemoryError `not_here` where the key has no conflict */
export function readConflict(context: SyncContext, key: MemoryKey): Conflict {
  const conflict = readConflicts(context).find((one) => one.key === key);
  if (conflict !== undefined) return conflict;
  const details = { key, usage: "What waits is listed by: team-memory conflicts" };
  throw new TeamMemoryError("not_here", `There is no conflict about ${key}`, { details });
}

/**
 * Decides a conflict: one move puts the text in place, and the conflict goes with it. Every parked text stays in the attic.
 * Called by who holds the lock.
 *
 * @throws TeamMemoryError `not_here`, `invalid_memory` and its like where a text made of both could not be proposed,
 *   `busy`, `disk`, `disk_full`; nothing is decided then
 */
export async function resolveConflict(
  context: SyncContext,
  key: MemoryKey,
  resolution: Resolution,
): Promise<{ readonly conflict: Conflict; readonly text: string | null }> {
  const conflict = readConflict(context, key);
  const text = toDecided(conflict, resolution);
  if (text !== null && resolution.kind !== "mine") assertProposable(key, text);
  keepDecided(context.stateFolder, key, readState(context.stateFolder, toWhere(context)).marks);
  const wish: Wish = text === null ? { kind: "revert", key } : { kind: "take", key, text };
  await grantWish(context, wish);
  return { conflict, text };
}

/** Null: as the team has it. */
function toDecided({ key, mine, theirs }: Conflict, resolution: Resolution): string | null {
  if (resolution.kind === "theirs") return null;
  if (resolution.kind === "text") return toCanonical(resolution.text);
  if (mine === null) throw new TeamMemoryError("invalid_memory", `What was parked is no UTF-8 text: ${key}`);
  return resolution.kind === "mine" || theirs === null ? mine : joinTexts(theirs, mine);
}

interface Found {
  readonly key: MemoryKey;
  readonly conflict: ParkedText;
  readonly parked: readonly string[];
}

function toConflict({ stateFolder }: SyncContext, { head }: OpenedState, { key, conflict, parked }: Found): Conflict {
  const toText = (path: string) => {
    const bytes = readAttic(stateFolder, path);
    return bytes === null ? null : toTextOrNull(bytes);
  };
  const copy = readPristine(stateFolder, head.packs)?.get(key);
  return {
    key,
    base: conflict.base === undefined ? null : toText(conflict.base),
    mine: toText(conflict.attic),
    theirs: copy === undefined ? null : toCanonical(readChecked(stateFolder, copy)),
    parked,
  };
}
