import { laterOf } from "./later-of.ts";
import { type EntrySides, type MergedEntries, type MergeEntry, mergeEntries } from "./merge-entries.ts";
import { mapSides, pickChanged, type Sides } from "./pick-changed.ts";
import { type Collection, joinCollection, splitCollection } from "./split-collection.ts";
import { type Entries, type Entry, NO_ENTRIES } from "./split-entries.ts";

/**
 * Frontmatter field by field. A field that one side changed is taken from there, with its comments. Of one that both
 * changed, lists are merged as sets, `metadata` field by field in turn, and of two `modified` the later stays.
 */
export function mergeFields(sides: Sides<Entries>): MergedEntries {
  return mergeEntries(sides, (field) => mergeChild(field) ?? mergeMetadata(field));
}

const PARENT = "metadata";
const TIMESTAMP = "modified";

function mergeChild(sides: EntrySides): Entry | null {
  return mergeTimestamp(sides) ?? mergeCollection(sides, "list", refuse);
}

function mergeMetadata(sides: EntrySides): Entry | null {
  return sides.mine?.id === PARENT ? mergeCollection(sides, "map", mergeChild) : null;
}

function refuse(): null {
  return null;
}

function mergeTimestamp({ mine, theirs }: EntrySides): Entry | null {
  if (mine === undefined || theirs === undefined) {
    const kept = mine ?? theirs;
    return kept?.id === TIMESTAMP ? kept : null;
  }
  return mine.id === TIMESTAMP ? laterOf(mine, theirs) : null;
}

function mergeCollection(sides: EntrySides, kind: Collection["kind"], mergeBoth: MergeEntry): Entry | null {
  const mine = toCollection(sides.mine, kind);
  const theirs = toCollection(sides.theirs, kind);
  if (sides.mine === undefined || mine === null || theirs === null) return null;
  const base = isEmpty(sides.base) ? emptyLike(mine, theirs) : toCollection(sides.base, kind);
  if (base === null) return null;
  const all = { base, mine, theirs };
  const head = pickChanged(mapSides(all, (side) => side.head));
  const note = pickChanged(mapSides(all, (side) => side.note));
  const { conflicts, ...entries } = mergeEntries(all, mergeBoth);
  if (head === null || note === null || conflicts.length > 0) return null;
  const merged = { kind, head, note, indent: mergeIndent(all), ...entries };
  return { ...sides.mine, source: joinCollection(merged), value: toValue(merged) };
}

function toCollection(entry: Entry | undefined, kind: Collection["kind"]): Collection | null {
  const collection = entry === undefined ? null : splitCollection(entry);
  return collection?.kind === kind ? collection : null;
}

function isEmpty(entry: Entry | undefined): boolean {
  return entry === undefined || entry.value === "";
}

/** Of what only the sides have there is no change of form to follow. */
function emptyLike(mine: Collection, theirs: Collection): Collection | null {
  return mine.head === theirs.head ? { ...mine, note: "", indent: null, ...NO_ENTRIES } : null;
}

/** A block wins over flow, which not every item fits into; of two blocks the one that changed, else the deeper. */
function mergeIndent({ base, mine, theirs }: Sides<Collection>): number | null {
  if (mine.indent === null || theirs.indent === null) return mine.indent ?? theirs.indent;
  const sides = { base: base.indent, mine: mine.indent, theirs: theirs.indent };
  return pickChanged<number | null>(sides) ?? Math.max(mine.indent, theirs.indent);
}

function toValue({ kind, entries }: Collection): unknown {
  return kind === "list" ? entries.map(({ value }) => value) : new Map(entries.map(({ id, value }) => [id, value]));
}
