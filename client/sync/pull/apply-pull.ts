import type { HeldFolder } from "../../../shared/path/held-folder.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { isBare, type NameSum } from "../folder/folder-sight.ts";
import { nameOf } from "../folder/key-parts.ts";
import { type Moved, moveFile } from "../folder/move-file.ts";
import { inFolders } from "../folder/open-folder.ts";
import { type LocalText, readHeld } from "../folder/read-local.ts";
import type { Attic, AtticReason } from "../state/attic.ts";
import type { Move } from "../state/journal.ts";
import type { PlaceStep, RemoveStep } from "./plan-pull.ts";

/**
 * Puts a plan on the disk, in two halves. `stage` checks every folder through all three layers and holds it, keeps what will
 * be displaced in the attic and writes every new file under a name of its own: if anything fails, nothing has happened. `place` then
 * only renames and links; a kill leaves each file old or new, and the journal between the two halves lets the next run
 * finish.
 */
export type Change = PlaceStep | RemoveStep;

export interface StagePlan {
  readonly teamDir: string;
  readonly attic: Attic;
  /** Removals first: a rename that only changes case must free the name. */
  readonly changes: readonly Change[];
  /** Canonical text of what is to be placed. */
  readonly textOf: (step: PlaceStep) => string;
  /** What the team folder held when the plan was made. */
  readonly folders: readonly NameSum[];
  /** What was placed before. */
  readonly baseOf: (key: MemoryKey) => string | null;
}

export interface Staged {
  readonly moves: readonly CheckedMove[];
  /** Somebody wrote there since the plan was made: to be planned again. */
  readonly overtaken: readonly MemoryKey[];
}

export interface CheckedMove extends Move {
  readonly key: MemoryKey;
}

/** @throws PathTraversalError for the whole pull; TeamMemoryError `disk`, `disk_full`. Nothing is in place then. */
export function stage(plan: StagePlan): Staged {
  const moves: CheckedMove[] = [];
  const overtaken: MemoryKey[] = [];
  // What has been written there since is found by the link, which replaces nothing.
  const lookAt = isBare(plan.folders) ? () => NOTHING : readHeld;
  try {
    inFolders(plan.teamDir, plan.changes, (folder, change) => {
      const move = stageOne(plan, change, { folder, local: lookAt(folder, nameOf(change.key)) });
      if (move === null) overtaken.push(change.key);
      else moves.push(move);
    });
    plan.attic.flush();
  } catch (error) {
    unstage(plan.teamDir, moves);
    throw error;
  }
  return { moves, overtaken };
}

/** Takes the staged files away again. */
export function unstage(teamDir: string, moves: readonly CheckedMove[]): void {
  inFolders(teamDir, moves, (folder, { temp }) => {
    if (temp !== null) folder.remove(temp);
  });
}

/** What came of moves, as far as it differs from what was planned. */
export interface Placed {
  /** Somebody wrote there meanwhile, and that file stands: to be planned again. */
  readonly overtaken: readonly MemoryKey[];
  /** What was written into files while they were moved, by its place in the attic. */
  readonly parked: ReadonlyMap<MemoryKey, string>;
}

type MoveFunction = (folder: HeldFolder, move: Move, attic: Attic) => Moved;

export interface PlacePlan {
  readonly teamDir: string;
  readonly attic: Attic;
  readonly moves: readonly CheckedMove[];
  /** How one is moved: anew, or where it may have been begun. */
  readonly move?: MoveFunction;
}

/** @throws TeamMemoryError `disk`: the journal stays, and the next run goes on */
export function place({ teamDir, attic, moves, move = moveFile }: PlacePlan): Placed {
  const overtaken: MemoryKey[] = [];
  const parked = new Map<MemoryKey, string>();
  inFolders(teamDir, moves, (folder, one) => {
    const moved = move(folder, one, attic);
    if (!moved.isDone) overtaken.push(one.key);
    if (moved.parked !== null) parked.set(one.key, moved.parked);
  });
  return { overtaken, parked };
}

const NOTHING: LocalText = { kind: "absent", bytes: null };

interface Seen {
  readonly folder: HeldFolder;
  readonly local: LocalText;
}

/** Null where the file is not what the plan saw. */
function stageOne(plan: StagePlan, change: Change, { folder, local }: Seen): CheckedMove | null {
  const { key } = change;
  const blob = local.kind === "file" ? local.blob : null;
  if (local.kind === "blocked" || blob !== change.expected) return null;
  const { bytes } = local;
  const base = plan.baseOf(key);
  const whose = blob !== null && blob === base ? "reviewed" : "mine";
  const attic = bytes === null || bytes.length === 0 ? null : plan.attic.put(key, bytes, toReason(change), whose);
  const temp = change.kind === "remove" ? null : folder.createTemp(Buffer.from(plan.textOf(change)));
  return { key, temp, attic, displaced: bytes === null ? null : blobIdOf(bytes), base };
}

function toReason(change: Change): AtticReason {
  if (change.kind === "remove") return "removed";
  return change.because === "conflict" || change.because === "merged" ? change.because : "replaced";
}
