import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/** How fresh the copy is, in our words alone: of a check that failed, the code. Pure. */
export function toStateText(failure: TeamMemoryError | null, checkedAtMs: number | null, nowMs: number): string {
  if (failure === null) return "up to date with the team.";
  if (checkedAtMs === null) return `nothing has been pulled yet (${failure.code}).`;
  const age = toAge(nowMs - checkedAtMs);
  return `the copy of ${age} ago, which may lack what the team has approved since (${failure.code}).`;
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
