import { EXIT } from "../../shared/errors/codes.ts";
import type { Command } from "../cli.ts";
import { sessionStart } from "../hooks/session-start.ts";

/**
 * What the host runs. It always ends well and prints one JSON object or nothing: a session must not fail because of us,
 * nor because its settings name an event that this version does not know.
 */
export const hook: Command = async (options, io) => {
  if (options.positionals[0] !== "session-start") return EXIT.ok;
  try {
    io.out(await sessionStart(options, process.stdin));
  } catch {
    io.out("{}");
  }
  return EXIT.ok;
};
