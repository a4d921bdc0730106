import { EXIT } from "../shared/errors/codes.ts";
import { isTeamMemoryError, TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import type { CommandOptions, ParsedCall } from "./command.ts";
import { readEnvironment } from "./config.ts";
import { HOOK } from "./hook-row.ts";
import { type Io, openIo } from "./io.ts";
import { parseRow } from "./parse-call.ts";

/** Set by the build; a run from source has none. */
declare const __VERSION__: string | undefined;

const args = process.argv.slice(2);
const io = openIo({ json: args.includes("--json") });

// Ended by force: a host that keeps standard input open, or a socket that hangs, must not hold a session up.
void run(args, io).then((code) => process.exit(args[0] === "hook" ? toHookExit(code) : code));

async function run(words: readonly string[], output: Io): Promise<number> {
  try {
    return await runCommand(words, output);
  } catch (error) {
    return reportFailure(error, output);
  }
}

/** Whatever it is called with: hosts take some exit codes for a no to what the agent does. A person at a terminal gets it. */
function toHookExit(code: number): number {
  return code === EXIT.ok || process.stdin.isTTY ? code : EXIT.ok;
}

async function runCommand(words: readonly string[], output: Io): Promise<number> {
  const [first] = words;
  if (first === "--version" || first === "-v")
    return say(output, typeof __VERSION__ === "string" ? __VERSION__ : "dev");
  if (first === "--help" || first === "-h" || first === "help") return say(output, (await loadTable()).helpText());
  const { row, values, positionals } = await readCall(words);
  if (values["help"] === true) return say(output, (await loadTable()).helpText(row));
  const command = await row.load();
  const options: CommandOptions = { values, positionals, env: readEnvironment(), cwd: process.cwd() };
  return await command(options, output);
}

/** What the host runs is read without the table of all the others: a session waits for it. */
async function readCall(words: readonly string[]): Promise<ParsedCall> {
  return words[0] === HOOK.name ? parseRow(HOOK, words.slice(1)) : (await loadTable()).parseCall(words);
}

function loadTable(): Promise<typeof import("./cli.ts")> {
  return import("./cli.ts");
}

function say(output: Io, text: string): number {
  for (const line of text.split("\n")) output.out(line);
  return EXIT.ok;
}

function reportFailure(error: unknown, output: Io): number {
  const failure = isTeamMemoryError(error) ? error : toInternal(error);
  const { code, message, details, row } = failure;
  if (output.json) output.outJson(JSON.stringify({ error: { code, message, details } }));
  else printFailure(failure, output);
  return row.exit;
}

function printFailure({ code, message, details, row }: TeamMemoryError, output: Io): void {
  const { usage } = details;
  output.err(`team-memory: ${message} (${code})`);
  for (const line of typeof usage === "string" ? usage.split("\n") : [row.remedy]) output.err(line);
}

function toInternal(error: unknown): TeamMemoryError {
  const reason = error instanceof Error ? error.message : String(error);
  return new TeamMemoryError("internal", `Something went wrong: ${reason}`, { cause: error });
}
