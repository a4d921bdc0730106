import type { Entry } from "./split-entries.ts";

/** Of two timestamps the later, whichever side has it; null: one of them is none. */
export function laterOf(mine: Entry, theirs: Entry): Entry | null {
  const mineMs = toMs(mine.value);
  const theirsMs = toMs(theirs.value);
  if (mineMs === null || theirsMs === null) return null;
  if (mineMs === theirsMs) return mine.source > theirs.source ? mine : theirs;
  return mineMs > theirsMs ? mine : theirs;
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:\d\d)?)?$/;

/** A time without a zone counts as UTC: the answer is the same on every machine. */
function toMs(value: unknown): number | null {
  const [, day, time = "00:00", zone = "Z"] = (typeof value === "string" && TIMESTAMP.exec(value)) || [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(ms) ? null : ms;
}
