import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import type { CommandRow, ParsedCall } from "./command.ts";
import { type Flags, parseWords } from "./parse-words.ts";

/** How the words behind a command's name are read: apart from the table, which a session's start must not wait for. */
export const COMMON_FLAGS = {
  json: { help: "one line of JSON instead of words" },
  help: { short: "h", help: "this" },
} as const satisfies Flags;

/** @throws TeamMemoryError `usage` */
export function parseRow(row: CommandRow, args: readonly string[]): ParsedCall {
  const { values, positionals } = parseFlags(row, args);
  if (values["help"] !== true) assertComplete(row, positionals);
  return { row, values, positionals };
}

function parseFlags(row: CommandRow, args: readonly string[]) {
  try {
    return parseWords(args, { ...row.flags, ...COMMON_FLAGS });
  } catch (error) {
    throw usageError((error as Error).message, toUsage(row), error);
  }
}

function assertComplete(row: CommandRow, { length }: readonly string[]): void {
  const { needed, max } = row.words;
  if (length < needed.length)
    throw usageError(`Missing for ${row.name}: ${needed.slice(length).join(" and ")}`, toUsage(row));
  if (length > max) throw usageError(`Too many arguments for ${row.name}: ${length}`, toUsage(row));
}

export function usageError(message: string, usage: string, cause?: unknown): TeamMemoryError {
  return new TeamMemoryError("usage", message, { details: { usage }, ...(cause === undefined ? {} : { cause }) });
}

export function toUsage({ usage }: CommandRow): string {
  return `team-memory ${usage} [--json]`;
}
