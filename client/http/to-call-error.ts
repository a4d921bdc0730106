import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { toSeconds } from "../to-seconds.ts";

export interface CallOutcome {
  readonly origin: string;
  /** The deadline had passed, or the caller had given up. */
  readonly isLate: boolean;
  readonly timeoutMs: number;
  /** Where no byte of the request has left, `details.isSent` says so. */
  readonly isSent: boolean;
}

/**
 * What a failed call means to a person: the service was not there, was too slow, or was not a team-memory service. The
 * order matters: what a deadline tore down fails in a dozen ways, all of which mean the deadline.
 */
export function toCallError(error: unknown, { origin, isLate, timeoutMs, isSent }: CallOutcome): TeamMemoryError {
  if (isTeamMemoryError(error))
    return new TeamMemoryError(error.code, error.message, { details: { ...error.details, isSent }, cause: error });
  const code = (error as NodeJS.ErrnoException | null)?.code ?? "";
  const options = { details: { origin, isSent, ...(code === "" ? {} : { reason: code }) }, cause: error };
  if (isLate) return new TeamMemoryError("timeout", `No answer from ${origin} within ${toSeconds(timeoutMs)}`, options);
  if (isGarbled(error, code))
    return new TeamMemoryError("bad_response", `Could not read the answer of ${origin}`, options);
  const why = code === "" ? "" : `: ${code}`;
  return new TeamMemoryError("unreachable", `Could not reach ${origin}${why}`, options);
}

/** Not HTTP, headers out of bounds, or a body that ended before its length. */
function isGarbled(error: unknown, code: string): boolean {
  return code.startsWith("HPE_") || code.startsWith("ERR_HTTP") || (error as Error | null)?.message === "aborted";
}
