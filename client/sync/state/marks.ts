/**
 * What this machine remembers about single keys beyond their texts: what the person asked for, and what was said about
 * it. Few keys have any.
 */
export interface KeyMarks {
  /** `rm KEY`. The reviewed blob that it was meant for; null: a memory that was never reviewed. */
  readonly removal?: { readonly blob: string | null };
  /** The team changed what was also changed here: the path of my text in the attic. */
  readonly conflict?: { readonly attic: string };
  /** A reviewer said no to this blob (null: to its removal); not sent again until it changes. */
  readonly rejected?: { readonly blob: string | null; readonly reason: string | null; readonly url: string };
  /** A text that lies here and is not sent by itself: until it is edited, or pushed by name. */
  readonly held?: { readonly blob: string; readonly because: "removed_by_team" | "unknown" };
  /** What was received could not be put in place: the blob that was placed last, null where none was. */
  readonly unplaced?: { readonly base: string | null; readonly because: Obstacle };
  /** `restore KEY` of a memory that the team removed: it is brought back on purpose. */
  readonly restore?: true;
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
