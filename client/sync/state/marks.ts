import type { ErrorCode } from "../../../shared/errors/codes.ts";
import { LIMITS } from "../../../shared/limits.ts";

/**
 * What this machine remembers about single keys beyond their texts: what the person asked for, and what was said about
 * it. Few keys have any.
 */
export interface KeyMarks {
  /** `rm KEY`. The reviewed blob that it was meant for; null: a memory that was never reviewed. */
  readonly removal?: { readonly blob: string | null };
  /** The team changed what was also changed here, and the two do not merge. */
  readonly conflict?: ParkedText;
  /** A reviewer said no to this blob (null: to its removal); not sent again until it changes. */
  readonly rejected?: { readonly blob: string | null; readonly reason: string | null; readonly url: string };
  /** The service would not take this blob (null: the removal); not sent again until it changes, or until `proposal` ends. */
  readonly refused?: Refused;
  /** A text that lies here and is not sent by itself: until it is edited, or pushed by name. */
  readonly held?: { readonly blob: string; readonly because: "removed_by_team" | "unknown" };
  /** What was received could not be put in place: the blob that was placed last, null where none was. */
  readonly unplaced?: { readonly base: string | null; readonly because: Obstacle };
  /** `restore KEY` of a memory that the team removed: this text of it is brought back on purpose, and no later one. */
  readonly restore?: { readonly blob: string };
  /** The text here was not made of the one that the open proposal holds. */
  readonly apart?: true;
}

export interface Refused {
  readonly blob: string | null;
  /** Null: it would be refused in any proposal. */
  readonly proposal: string | null;
  readonly code: ErrorCode;
  readonly message: string;
}

/** Paths below the attic. */
export interface ParkedText {
  /** My text. */
  readonly attic: string;
  /** What it started from, where that is known and not nothing. */
  readonly base?: string;
  /** Texts of mine that were parked before it and wait as well, newest first. */
  readonly earlier?: readonly string[];
}

export type Obstacle =
  /** A local file has the same name on some disks. */
  | "folded"
  /** A folder, a pipe or another thing that is no file. */
  | "not_a_file"
  | "unreadable"
  /** No memory is that large: it is neither read nor moved. */
  | "too_large"
  /** Somebody wrote there each time that the text was about to be placed. */
  | "written_meanwhile"
  /** Too many removals at once, not yet accepted. */
  | "removal_held";

export type Marks = ReadonlyMap<string, KeyMarks>;

export const NO_MARKS: KeyMarks = {};

/** The same marks without some of them. */
export function without(marks: KeyMarks, ...names: readonly (keyof KeyMarks)[]): KeyMarks {
  return Object.fromEntries(Object.entries(marks).filter(([name]) => !names.includes(name as keyof KeyMarks)));
}

/** One more text of mine waits for a decision; those that wait already stay named behind it. */
export function park(marks: KeyMarks, { attic, base }: Pick<ParkedText, "attic" | "base">): KeyMarks {
  const earlier = listParked(marks)
    .filter((path) => path !== attic)
    .slice(0, LIMITS.conflictTextsMax - 1);
  const conflict = { attic, ...(base !== undefined && { base }), ...(earlier.length > 0 && { earlier }) };
  return { ...marks, conflict };
}

/** Texts of mine that wait for a decision, newest first. */
export function listParked({ conflict }: KeyMarks): readonly string[] {
  return conflict === undefined ? [] : [conflict.attic, ...(conflict.earlier ?? [])];
}
