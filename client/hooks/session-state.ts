import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { toVisibleLine } from "../../shared/memory/invisible-characters.ts";
import { cutLine } from "./session-news.ts";

/**
 * How fresh the copy is, in words: the code and the reason where the last check failed. Pure. The reason may be in the words
 * of whoever answered at the service's address: one visible line, of a bounded length, is all that they get.
 */
export function toStateText(failure: TeamMemoryError | null, checkedAtMs: number | null, nowMs: number): string {
  if (failure === null) return "up to date with the team.";
  const reason = `${cutLine(toVisibleLine(failure.message))} (${failure.code})`;
  if (checkedAtMs === null) return `nothing has been pulled yet. ${reason}`;
  return `the copy of ${toAge(nowMs - checkedAtMs)} ago, which may lack what the team has approved since. ${reason}`;
}

/** One unit is enough: `3 hours`. */
export function toAge(ms: number): string {
  const units: readonly (readonly [number, string])[] = [
    [86_400_000, "day"],
    [3_600_000, "hour"],
    [60_000, "minute"],
    [1_000, "second"],
  ];
  for (const [length, name] of units) {
    const count = Math.floor(ms / length);
    if (count >= 1) return `${count} ${name}${count === 1 ? "" : "s"}`;
  }
  return "less than a second";
}
