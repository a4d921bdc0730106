import { LIMITS } from "../../shared/limits.ts";
import type { PullReport } from "../sync/report.ts";

/** What a pull has changed, in the two voices that a session hears: keys are other people's words, notes are ours. */
export interface SessionNews {
  /** One line of keys; empty where none is new. Data: it stands in the fence. */
  readonly arrived: string;
  /** One line each, bounded in number and length. */
  readonly notes: readonly string[];
}

/** Pure. Null: there was no pull. */
export function toSessionNews(report: PullReport | null): SessionNews {
  if (report === null) return { arrived: "", notes: [] };
  const keys = report.changes.filter(({ what }) => what === "new" || what === "changed").map(({ key }) => key);
  const isWaiting = report.changes.some(({ what }) => what === "conflict") || report.unplaced.length > 0;
  const notes = [...(isWaiting ? ["Something waits for the user: team-memory status"] : []), ...report.notes];
  return {
    arrived: keys.length === 0 ? "" : `New or changed since the last session: ${toList(keys)}`,
    notes: cut(notes),
  };
}

/** Whole keys only: half of one names another file. */
function toList(keys: readonly string[]): string {
  let length = 0;
  const overflow = keys.findIndex((key, at) => {
    length += key.length;
    return at >= LIMITS.hookKeysNamedMax || length > LIMITS.hookLineLengthMax;
  });
  const named = overflow === -1 ? keys : keys.slice(0, overflow);
  const more = keys.length - named.length;
  if (named.length === 0) return `${more}, see team-memory status`;
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`;
}

function cut(notes: readonly string[]): string[] {
  const shown = notes.slice(0, LIMITS.hookNotesMax).map((note) => cutLine(note));
  const more = notes.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more of this kind: team-memory pull`];
}

/** Behind a whole character. */
export function cutLine(line: string): string {
  if (line.length <= LIMITS.hookLineLengthMax) return line;
  return `${line.slice(0, LIMITS.hookLineLengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
