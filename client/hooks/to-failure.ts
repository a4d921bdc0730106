import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/** What a hook tells of anything that was thrown: of what is not ours, no word of it. */
export function toFailure(error: unknown): TeamMemoryError {
  if (isTeamMemoryError(error)) return error;
  return new TeamMemoryError("internal", "Something went wrong", { cause: error });
}
