import type { ErrorCode } from "../shared/errors/codes.ts";
import type { TeamMemoryError } from "../shared/errors/team-memory-error.ts";

/**
 * What whoever typed the command does about it: the error's own words, or those that fit the command, or the code's.
 */
export function toRemedy({ code, details, row }: TeamMemoryError, command = ""): string {
  const { usage } = details;
  if (typeof usage === "string") return usage;
  const ofCommand = Object.hasOwn(BY_COMMAND, command) ? BY_COMMAND[command] : undefined;
  return ofCommand?.[code] ?? AT_THE_COMMAND[code] ?? row.remedy;
}

/** Where the same code asks for another thing. */
const BY_COMMAND: Readonly<Record<string, Partial<Record<ErrorCode, string>>>> = {
  backup: {
    not_found: "Make that folder first, or name a file in another",
    target_exists: "Name a file that is not there yet; --force replaces one",
  },
  base: { not_found: "Look it up: team-memory-server base show lists what is held, with its revisions" },
  people: { not_found: "Look it up: team-memory-server people list shows everybody with their roles" },
  restore: {
    not_found: "Check the path of the backup",
    target_exists: "Name with --data a folder that is empty or not there yet",
  },
};

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
