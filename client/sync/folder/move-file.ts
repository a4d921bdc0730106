import type { HeldFolder } from "../../../shared/path/held-folder.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import type { Attic } from "../state/attic.ts";
import type { Move } from "../state/journal.ts";
import { nameOf } from "./key-parts.ts";
import { readHeld } from "./read-local.ts";

/**
 * One file's move: the old file is renamed aside, the new one linked in, and the old one itself goes to the attic: who
 * opened it in its place and writes a moment later, or much later, writes there.
 */
export interface Moved {
  /** False: somebody has written there. Their file stands, and ours is still staged. */
  readonly isDone: boolean;
  /** Where the attic has what was written into the old file while it was moved: it is in no plan, and not lost. */
  readonly parked: string | null;
}

const DONE: Moved = { isDone: true, parked: null };

/** The staged file stays until the state says so: without it, a run that goes on would take the move for done. */
const GIVEN_UP: Moved = { isDone: false, parked: null };

export function moveFile(folder: HeldFolder, move: Move, attic: Attic): Moved {
  const { key, temp, displaced } = move;
  if (temp === null) return removeFile(folder, move, attic);
  const name = nameOf(key);
  if (displaced !== null && readId(folder, name) !== displaced) return GIVEN_UP;
  const aside = displaced === null ? null : folder.moveAside(name);
  const isLinked = folder.linkIn(temp, name);
  const parked = aside === null ? null : dropAside(folder, aside, { move, attic });
  return { isDone: isLinked, parked };
}

/** The same for a run that was killed at any line of it. */
export function resumeMove(folder: HeldFolder, move: Move, attic: Attic): Moved {
  const { key, temp } = move;
  if (temp === null) return removeFile(folder, move, attic);
  const name = nameOf(key);
  const [staged, there] = [folder.stat(temp), folder.stat(name)];
  if (staged === null) return DONE;
  const isLinked = there !== null && there.ino === staged.ino && there.dev === staged.dev;
  if (isLinked) folder.remove(temp);
  if (isLinked || (there === null && folder.linkIn(temp, name))) return DONE;
  return moveFile(folder, move, attic);
}

function removeFile(folder: HeldFolder, move: Move, attic: Attic): Moved {
  const name = nameOf(move.key);
  const id = readId(folder, name);
  if (id === null) return DONE;
  const aside = id === move.displaced ? folder.moveAside(name) : null;
  if (aside === null) return { isDone: false, parked: null };
  const isAsSeen = readId(folder, aside) === move.displaced;
  // Written between the look and the rename: an edit, which goes back where it was.
  if (!isAsSeen && folder.linkIn(aside, name)) return { isDone: false, parked: null };
  return { isDone: isAsSeen, parked: dropAside(folder, aside, { move, attic }) };
}

function dropAside(folder: HeldFolder, aside: string, { move, attic }: { move: Move; attic: Attic }): string | null {
  const local = readHeld(folder, aside);
  // What cannot be read stays, and the next run's sweep tries again.
  if (local.kind === "blocked" || local.bytes === null) return null;
  const { bytes } = local;
  const file = { folder, name: aside, key: move.key, bytes };
  if (blobIdOf(bytes) !== move.displaced || bytes.length === 0) {
    const path = attic.take(file, { why: "written-meanwhile" });
    attic.flush();
    // Emptied to be written: there is nothing yet that could be decided about.
    return bytes.length === 0 ? null : path;
  }
  const whose = move.displaced === move.base ? "reviewed" : "mine";
  if (move.attic !== null) attic.take(file, { copy: move.attic }, whose);
  else folder.remove(aside);
  return null;
}

/** Git's id of the bytes that lie there; null: nothing; a word that is no id: something that cannot be read. */
function readId(folder: HeldFolder, name: string): string | null {
  const local = readHeld(folder, name);
  if (local.kind === "blocked") return local.because;
  return local.bytes === null ? null : blobIdOf(local.bytes);
}
