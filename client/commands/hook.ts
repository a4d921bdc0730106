import { EXIT } from "../../shared/errors/codes.ts";
import type { Command, CommandOptions } from "../command.ts";
import { preToolUse } from "../hooks/pre-tool-use.ts";
import { sessionStart } from "../hooks/session-start.ts";
import { toUsageError } from "./to-usage-error.ts";

/**
 * What the host runs. It prints one JSON object or nothing, and ends well: a session must not fail because of us.
 *
 * @throws TeamMemoryError `usage` for an event that this version does not know; a host gets the words, and no exit code
 */
export const hook: Command = async (options, io) => {
  const event = options.positionals[0] ?? "";
  const answer = EVENTS.get(event);
  if (answer === undefined) throw toUsageError("hook", `No such event: ${event}`);
  try {
    const said = await answer(options, process.stdin);
    if (said !== null) io.outJson(said);
  } catch {
    // Nothing is said then.
  }
  return EXIT.ok;
};

type Answer = (options: CommandOptions, input: NodeJS.ReadStream) => Promise<string | null>;

/** What runs before a session or a write waits for it; the others are loaded when they are called. */
const EVENTS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["session-start", sessionStart],
  ["pre-tool-use", preToolUse],
  ["stop", async (...call) => (await import("../hooks/stop.ts")).stop(...call)],
  ["session-end", async (...call) => (await import("../hooks/session-end.ts")).sessionEnd(...call)],
  // Not the host's: the other two run it in a process of its own.
  ["propose", async (options) => (await import("../hooks/propose.ts")).propose(options)],
]);
