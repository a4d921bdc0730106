import type { ErrorCode } from "../shared/errors/codes.ts";
import type { TeamMemoryError } from "../shared/errors/team-memory-error.ts";

/** What whoever typed the command does about it: the error's own words, or the code's, which may be for whoever calls by HTTP. */
export function toRemedy({ code, details, row }: TeamMemoryError): string {
  const { usage } = details;
  return typeof usage === "string" ? usage : (AT_THE_COMMAND[code] ?? row.remedy);
}

/** Of codes whose row speaks to a client of the service. */
const AT_THE_COMMAND: Partial<Record<ErrorCode, string>> = {
  usage: "team-memory-server COMMAND --help says how a command is called",
  bad_request: "Correct what the message names, then run the command again",
  too_large: "Take away what is not needed any more; the bound is in the message",
  not_found: "Look it up: team-memory-server token list shows people, tokens and invites",
  secret_found: "Leave the secret out",
  lost_race: "Run the command again: others were writing at once",
  unavailable: "Run the command again in a moment",
  timeout: "Run the command again; where it takes as long, look at the disk and the load of this machine",
  remote_unreachable: "Look at the git remote and the network to it, then run the command again",
  internal: "Report it with all that was printed; nothing of a memory is in it",
};
