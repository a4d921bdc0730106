import { isTeamMemoryError, type TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/** An error of ours as a value: what became of one is no reason to give up the others. @throws every other error */
export function toRefusal(error: unknown): TeamMemoryError {
  if (isTeamMemoryError(error)) return error;
  throw error;
}
