import { EXIT } from "../../shared/errors/codes.ts";
import type { Command, CommandOptions } from "../cli.ts";
import { preToolUse } from "../hooks/pre-tool-use.ts";
import { sessionStart } from "../hooks/session-start.ts";

/**
 * What the host runs. It always ends well and prints one JSON object or nothing: a session must not fail because of us,
 * nor because its settings name an event that this version does not know.
 */
export const hook: Command = async (options, io) => {
  const answer = EVENTS.get(options.positionals[0] ?? "");
  try {
    const said = (await answer?.(options, process.stdin)) ?? null;
    if (said !== null) io.out(said);
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
