import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { toVisibleLine } from "../../shared/memory/invisible-characters.ts";
import type { PullReport } from "../sync/pull/report.ts";

/**
 * What a pull has brought, or why there was none: lines with keys and with the service's own words in them. So they are data,
 * one visible line each, bounded in number and length, and stand in the fence. Pure.
 */
export function toSessionNews(report: PullReport | null, failure: TeamMemoryError | null): readonly string[] {
  const arrived =
    report?.changes.filter(({ what }) => what === "new" || what === "changed").map(({ key }) => key) ?? [];
  return [
    ...(failure === null ? [] : [cutLine(`Why it was not checked: ${toVisibleLine(failure.message)}`)]),
    ...(arrived.length === 0 ? [] : [toVisibleLine(`New or changed since the last session: ${toList(arrived)}`)]),
    ...cut(report?.notes ?? []),
  ];
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
  const shown = notes.slice(0, LIMITS.hookNotesMax).map((note) => cutLine(toVisibleLine(note)));
  const more = notes.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more of this kind: team-memory pull`];
}

/** Behind a whole character. */
export function cutLine(line: string, lengthMax: number = LIMITS.hookLineLengthMax): string {
  if (line.length <= lengthMax) return line;
  return `${line.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
