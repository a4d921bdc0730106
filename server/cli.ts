import { parseArgs } from "node:util";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { didYouMean } from "../shared/text/did-you-mean.ts";
import type { CommandOptions } from "./command.ts";
import { COMMANDS, COMMON_FLAGS, type CommandRow } from "./command-rows.ts";
import type { FlagRows } from "./flag-rows.ts";
import { helpText, toActionLines, toUsage } from "./help-text.ts";

export interface ParsedCall extends CommandOptions {
  readonly row: CommandRow;
}

/** @throws TeamMemoryError `usage` */
export function parseCall([name = "", ...args]: readonly string[]): ParsedCall {
  const row = COMMANDS.find((command) => command.name === name);
  if (row === undefined) throw toUnknown(name);
  const { values, positionals } = parseFlags(row, args);
  if (values["help"] !== true) assertComplete(row, { values, positionals });
  return { row, values, positionals };
}

/** The whole help only where nothing was said: beside a slip of the keys it hides what is wrong. */
function toUnknown(name: string): TeamMemoryError {
  if (name === "" || name.startsWith("-")) return usageError("No command was given", helpText());
  const known = COMMANDS.map((row) => row.name);
  return usageError(`No such command: ${name}`, withHint(name, known, "All of them: team-memory-server help"));
}

function parseFlags(row: CommandRow, args: readonly string[]): CommandOptions {
  const flags: FlagRows = { ...row.flags, ...COMMON_FLAGS };
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: true });
  } catch (cause) {
    throw toFlagError(row, flags, cause as Error);
  }
}

/** `util.parseArgs` names the flag in its message alone. */
function toFlagError(row: CommandRow, flags: FlagRows, cause: Error): TeamMemoryError {
  const said = /'(?:-\w, )?(-[^' ]*)/.exec(cause.message)?.[1] ?? "";
  const flag = flags[said.replace(/^--/, "")];
  if (flag === undefined) {
    const known = Object.keys(flags).map((name) => `--${name}`);
    return usageError(`No such flag: ${said}`, withHint(said, known, whereHelpIs(row)), cause);
  }
  const problem = flag.type === "string" ? `needs a value: ${flag.value}` : "takes no value";
  return usageError(`${said} ${problem}`, toUsage(row), cause);
}

function assertComplete(row: CommandRow, { values, positionals }: CommandOptions): void {
  const words = row.actions === undefined ? row.words : wordsOfAction(row, positionals);
  const flags = (row.neededFlags ?? []).filter((flag) => values[flag] === undefined).map((flag) => `--${flag}`);
  const missing = [...words.slice(positionals.length), ...flags];
  if (missing.length > 0) throw usageError(`Missing for ${row.name}: ${missing.join(" and ")}`, toUsage(row));
  if (positionals.length > words.length)
    throw usageError(`Too many arguments for ${row.name}: ${positionals.length}`, toUsage(row));
}

/** The action's name is a word, too. */
function wordsOfAction(row: CommandRow, [said]: readonly string[]): readonly string[] {
  const { actions = [] } = row;
  const action = actions.find(({ name }) => name === said);
  if (action !== undefined) return [action.name, ...action.words];
  if (said === undefined) throw usageError(`Say what to do with ${row.name}`, toActionLines(row).join("\n"));
  const known = actions.map(({ name }) => name);
  throw usageError(`No such ${row.name} command: ${said}`, withHint(said, known, whereHelpIs(row)));
}

function withHint(said: string, known: readonly string[], where: string): string {
  return `${didYouMean(said, known)} ${where}`.trim();
}

function whereHelpIs({ name }: CommandRow): string {
  return `Its right use: team-memory-server ${name} --help`;
}

function usageError(message: string, usage: string, cause?: unknown): TeamMemoryError {
  return new TeamMemoryError("usage", message, { details: { usage }, cause });
}
