import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/** Wrong use of a command, with where its right use is told. */
export function toUsageError(command: string, message: string): TeamMemoryError {
  return new TeamMemoryError("usage", message, { details: { usage: `team-memory ${command} --help` } });
}
