import { mergeLines } from "./merge-lines.ts";
import { mergeOrder } from "./merge-order.ts";
import { mapSides, pickChanged, type Sides } from "./pick-changed.ts";
import type { Entries, Entry } from "./split-entries.ts";

/** An entry on each side; undefined: the side does not have it. */
export type EntrySides = Sides<Entry | undefined>;

/** What becomes of an entry that both sides changed, or one changed and the other removed; null: a conflict. */
export type MergeEntry = (sides: EntrySides) => Entry | null;

export interface MergedEntries extends Entries {
  /** Ids of what could not be merged; `rest` for the comments below. Empty: all is well. */
  readonly conflicts: readonly string[];
}

/** Entry by entry: theirs with my additions and without my removals. */
export function mergeEntries(sides: Sides<Entries>, mergeBoth: MergeEntry): MergedEntries {
  const byId = mapSides(sides, ({ entries }) => new Map(entries.map((entry) => [entry.id, entry])));
  const entries: Entry[] = [];
  const conflicts: string[] = [];
  for (const id of mergeOrder(mapSides(byId, (side) => [...side.keys()]))) {
    const merged = mergeEntry(
      mapSides(byId, (side) => side.get(id)),
      mergeBoth,
    );
    if (merged === null) conflicts.push(id);
    else if (merged !== undefined) entries.push(merged);
  }
  const rest = mergeLines(mapSides(sides, (side) => side.rest));
  return { entries, rest: rest ?? "", conflicts: rest === null ? [...conflicts, "rest"] : conflicts };
}

function mergeEntry(sides: EntrySides, mergeBoth: MergeEntry): Entry | undefined | null {
  const whole = pickChanged(sides, (entry) => entry && entry.above + entry.source);
  if (whole !== null) return whole;
  const { mine, theirs } = sides;
  if (mine === undefined || theirs === undefined) return mergeBoth(sides);
  const above = mergeLines(mapSides(sides, (entry) => entry?.above ?? ""));
  const merged = pickChanged(sides, (entry) => entry?.source) ?? mergeBoth(sides);
  return above === null || merged === null ? null : { ...merged, above };
}
