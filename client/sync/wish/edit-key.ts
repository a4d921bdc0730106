import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { HeldFolder } from "../../../shared/path/held-folder.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { toShellWord } from "../../shell-word.ts";
import { type SyncContext, toWhere } from "../context.ts";
import { readUnblocked } from "../folder/blocked-key.ts";
import { nameOf } from "../folder/key-parts.ts";
import { moveFile } from "../folder/move-file.ts";
import { ensureTeamDir, inFolders } from "../folder/open-folder.ts";
import { readHeld } from "../folder/read-local.ts";
import { baseOf } from "../pull/gather-facts.ts";
import { type Attic, openAttic, readAttic } from "../state/attic.ts";
import { isSomebodysText, listAtticOf } from "../state/list-attic.ts";
import { type KeyMarks, NO_MARKS, without } from "../state/marks.ts";
import { writeMarks } from "../state/marks-file.ts";
import { findSentText, type Outbox } from "../state/outbox.ts";
import { type Pristine, readPristine } from "../state/pristine.ts";
import { type OpenedState, readState } from "../state/state.ts";
import { busyKey, grantWish, settleHere } from "./grant-wish.ts";
import { keepDecided } from "./keep-decided.ts";

/** What a person does to one key by name: `rm KEY` and `restore KEY`. Called by who holds the lock. */

/** `proposal`: it is a removal for the team to review. `local`: nobody else had it. */
export type Removed = "proposal" | "local";

interface Edited {
  /** A text that lay here is in the attic now. */
  readonly isParked: boolean;
  /** A conflict about it waited, and is decided by this; what was parked stays in the attic. */
  readonly isDecided: boolean;
}

/**
 * @throws TeamMemoryError `not_here`, `busy` where somebody writes to it, `conflict` where the team's text was never in
 * place here: nobody can mean to remove what they have not seen; `disk`, `disk_full`
 */
export async function removeKey(context: SyncContext, key: MemoryKey): Promise<Edited & { readonly removed: Removed }> {
  const state = readState(context.stateFolder, toWhere(context));
  const pristine: Pristine = readPristine(context.stateFolder, state.head.packs) ?? new Map();
  const reviewed = pristine.get(key)?.canonicalBlob ?? null;
  if (reviewed !== null && baseOf(key, state.marks.get(key) ?? NO_MARKS, pristine) !== reviewed) throw notPlaced(key);
  const local = readUnblocked(context.teamDir, key);
  const isHere = local.bytes !== null;
  const isSent = state.outbox.open?.changes.some((change) => change.key === key) === true;
  if (!isHere && reviewed === null && !isSent) throw notFound(key);
  const isDecided = keepDecided(context.stateFolder, key, state.marks);
  // The wish first: a file that is gone without one is brought back.
  mark(context, state, key, (marks) => ({
    ...without(marks, "rejected", "held", "restore", "conflict"),
    removal: { blob: reviewed },
  }));
  const attic = openAttic(context.stateFolder, new Date());
  if (isHere && !takeAway(context.teamDir, key, attic)) throw busyKey(key);
  await settleHere(context);
  return { removed: reviewed === null ? "local" : "proposal", isParked: local.kind === "file", isDecided };
}

/** `reverted`: the team's text is in place. `brought_back`: a text that the team removed will be proposed again. */
export type Restored = "reverted" | "brought_back";

interface RestoredKey extends Edited {
  readonly restored: Restored;
  /** No file was here before. */
  readonly isFound: boolean;
}

/** @throws TeamMemoryError `not_here`, `busy`, `disk`, `disk_full` */
export async function restoreKey(context: SyncContext, key: MemoryKey): Promise<RestoredKey> {
  const state = readState(context.stateFolder, toWhere(context));
  const reviewed = readPristine(context.stateFolder, state.head.packs)?.get(key);
  const local = readUnblocked(context.teamDir, key);
  const isDecided = keepDecided(context.stateFolder, key, state.marks);
  if (reviewed !== undefined) {
    await grantWish(context, { kind: "revert", key });
    return {
      restored: "reverted",
      isFound: local.kind !== "file",
      isParked: local.kind === "file" && local.blob !== reviewed.canonicalBlob,
      isDecided,
    };
  }
  if (local.kind !== "file") putBack(context, state.outbox, key);
  const here = readUnblocked(context.teamDir, key);
  mark(context, state, key, (marks) => ({
    ...without(marks, "removal", "rejected", "held", "conflict"),
    ...(here.kind === "file" && { restore: { blob: here.blob } }),
  }));
  await settleHere(context);
  return { restored: "brought_back", isFound: local.kind !== "file", isParked: false, isDecided };
}

function mark(context: SyncContext, state: OpenedState, key: MemoryKey, change: (marks: KeyMarks) => KeyMarks): void {
  writeMarks(context.stateFolder, new Map([...state.marks, [key, change(state.marks.get(key) ?? NO_MARKS)]]));
}

/** To the attic; false where it was written at that moment, and stays. */
function takeAway(teamDir: string, key: MemoryKey, attic: Attic): boolean {
  let isDone = false;
  inFolders(teamDir, [{ key }], (folder: HeldFolder) => {
    const local = readHeld(folder, nameOf(key));
    if (local.kind === "blocked" || local.bytes === null) return;
    const kept = attic.put(key, local.bytes, "removed");
    attic.flush();
    const displaced = blobIdOf(local.bytes);
    isDone = moveFile(folder, { key, temp: null, displaced, attic: kept, base: null }, attic).isDone;
  });
  return isDone;
}

/** What is proposed of it, else the newest text of it that was replaced or removed here. */
function putBack(context: SyncContext, outbox: Outbox, key: MemoryKey): void {
  const sent = findSentText(outbox, key);
  const text = sent === null ? readNewest(context.stateFolder, key) : Buffer.from(sent);
  if (text === null) throw notFound(key);
  ensureTeamDir(context.teamDir);
  inFolders(context.teamDir, [{ key }], (folder) => {
    const temp = folder.createTemp(text);
    if (folder.linkIn(temp, nameOf(key))) return;
    folder.remove(temp);
    throw busyKey(key);
  });
}

function readNewest(stateFolder: string, key: MemoryKey): Buffer | null {
  const newest = listAtticOf(stateFolder, key).find(isSomebodysText);
  return newest === undefined ? null : readAttic(stateFolder, newest.path);
}

function notPlaced(key: string): TeamMemoryError {
  const message = `The team's text of it is not in place here, so its removal is not proposed: ${key}`;
  return new TeamMemoryError("conflict", message, { details: { key } });
}

function notFound(key: string): TeamMemoryError {
  const usage = `What there is: team-memory status; what is kept of it, if anything: team-memory attic list ${toShellWord(key)}`;
  return new TeamMemoryError("not_here", `No memory of this name is here: ${key}`, { details: { key, usage } });
}
