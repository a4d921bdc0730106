import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";

/** For what may pass: the network, a remote that is down, or one that does not answer as git does. */
export function unreachable(why: string): TeamMemoryError {
  return new TeamMemoryError("remote_unreachable", `could not reach the remote: ${why}`);
}
