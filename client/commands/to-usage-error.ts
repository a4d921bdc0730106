import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { didYouMean } from "../../shared/text/did-you-mean.ts";

/** Wrong use of a command, with where its right use is told. */
export function toUsageError(command: string, message: string): TeamMemoryError {
  return new TeamMemoryError("usage", message, { details: { usage: `team-memory ${command} --help` } });
}

/** The same for a word behind the command that is none of its own. */
export function toUnknownVerb(command: string, said: string, known: readonly string[]): TeamMemoryError {
  const usage = `${didYouMean(said, known)} Its right use: team-memory ${command} --help`.trim();
  return new TeamMemoryError("usage", `No such ${command} command: ${said}`, { details: { usage } });
}
