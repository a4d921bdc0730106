import { EXIT } from "../../shared/errors/codes.ts";
import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/** How fresh the copy is, in our words alone: of a check that failed, the code, and what the person does about it. Pure. */
export function toStateText(failure: TeamMemoryError | null, checkedAtMs: number | null, nowMs: number): string {
  if (failure === null) return "up to date with the team.";
  const remedy = toRemedy(failure);
  if (checkedAtMs === null) return `nothing has been pulled yet (${failure.code}).${remedy}`;
  const age = isYetToCome(checkedAtMs, nowMs)
    ? "a copy of unknown age"
    : `the copy of ${toAge(nowMs - checkedAtMs)} ago`;
  return `${age}, which may lack what the team has approved since (${failure.code}).${remedy}`;
}

/** A service that is out of reach is back by itself; all else lasts until a person does something. */
function toRemedy({ row }: TeamMemoryError): string {
  return row.exit === EXIT.unavailable ? "" : ` For the user to do: ${row.remedy}.`;
}

/** A clock that has been set back since says nothing of how long ago that was; a second is no setting back. */
export function isYetToCome(atMs: number, nowMs: number): boolean {
  return atMs > nowMs + 1_000;
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
