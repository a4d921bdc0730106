import { TeamMemoryError } from "../errors/team-memory-error.ts";
import { escapeForDisplay } from "./escape-for-display.ts";

/** `ENOENT` and its like, or `UNKNOWN` for what is no system error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "UNKNOWN";
}

/** A failed write or read as the house's error: `disk_full` or `disk`; what is one already stays as it is. */
export function toDiskError(error: unknown, what: string, path: string): TeamMemoryError {
  if (error instanceof TeamMemoryError) return error;
  const shown = escapeForDisplay(path);
  const isFull = ["ENOSPC", "EDQUOT"].includes(codeOf(error));
  return new TeamMemoryError(isFull ? "disk_full" : "disk", `Cannot ${what}: ${shown}`, {
    details: { path: shown, reason: codeOf(error) },
    cause: error,
  });
}
