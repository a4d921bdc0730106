import { parseArgs } from "node:util";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import type { Command, CommandOptions } from "./command.ts";
import { FOLDER_FLAGS, PUBLIC_URL_FLAG, SERVE_FLAGS } from "./config.ts";
import { type FlagRows, toFlagLines } from "./flag-rows.ts";

/** The command table: what is parsed, and what the help says. A command's module is loaded when it is called. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  /** What must be named, in order, and what may be. */
  readonly words: { readonly needed: readonly string[]; readonly more?: readonly string[] };
  readonly flags: FlagRows;
  readonly neededFlags?: readonly string[];
  readonly load: () => Promise<Command>;
}

const GRANT_FLAGS = {
  role: { type: "string", value: "ROLE", help: "reader, contributor, reviewer or admin; contributor unless named" },
  project: { type: "string", value: "PATTERN", multiple: true, help: "github.com/acme/*; every project unless named" },
  name: { type: "string", value: "NAME", help: "who it is for" },
  email: { type: "string", value: "EMAIL", help: "their address; who has it already stays the same person" },
} as const satisfies FlagRows;

export const COMMANDS: readonly CommandRow[] = [
  {
    name: "serve",
    summary: "run the service on an embedded repository in the data folder",
    words: { needed: [] },
    flags: SERVE_FLAGS,
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  {
    name: "invite",
    summary: "make links that let one person each join, once, for a week",
    words: { needed: [] },
    flags: {
      person: { type: "string", value: "ID", help: "who it is for, of those whom token list shows; else --email" },
      ...GRANT_FLAGS,
      count: { type: "string", value: "N", help: "how many links; 1 unless named" },
      ...PUBLIC_URL_FLAG,
      ...FOLDER_FLAGS,
    },
    load: async () => (await import("./commands/invite.ts")).invite,
  },
  {
    name: "token",
    summary: "make, list and take back tokens and open invites: create, list, or revoke ID",
    words: { needed: ["ACTION"], more: ["ID"] },
    flags: {
      person: { type: "string", value: "ID", help: "create one more for them; else for --name and --email" },
      ...GRANT_FLAGS,
      machine: { type: "string", value: "NAME", help: "where it will be used, for the list" },
      ...FOLDER_FLAGS,
    },
    load: async () => (await import("./commands/token.ts")).token,
  },
  {
    name: "base",
    summary: "what is held back of the remote's base, and to accept it: show, or accept REVISION",
    words: { needed: ["ACTION"], more: ["REVISION"] },
    flags: FOLDER_FLAGS,
    load: async () => (await import("./commands/base.ts")).base,
  },
  {
    name: "backup",
    summary: "write repository, people and secret into one file; the service may run meanwhile",
    words: { needed: ["FILE"] },
    flags: { force: { type: "boolean", help: "replace a file that is there" }, ...FOLDER_FLAGS },
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  {
    name: "restore",
    summary: "make a data folder from such a file: a new one, which --data names",
    words: { needed: ["FILE"] },
    flags: FOLDER_FLAGS,
    neededFlags: ["data"],
    load: async () => (await import("./commands/restore.ts")).restore,
  },
];

const COMMON_FLAGS = {
  json: { type: "boolean", help: "one line of JSON instead of words" },
  help: { type: "boolean", short: "h", help: "this" },
} as const satisfies FlagRows;

export interface ParsedCall extends CommandOptions {
  readonly row: CommandRow;
}

/** @throws TeamMemoryError `usage` */
export function parseCall([name = "", ...args]: readonly string[]): ParsedCall {
  const row = COMMANDS.find((command) => command.name === name);
  if (row === undefined) throw usageError(toUnknown(name), helpText());
  const { values, positionals } = parseFlags(row, args);
  if (values["help"] !== true) assertComplete(row, { values, positionals });
  return { row, values, positionals };
}

function toUnknown(name: string): string {
  return name === "" || name.startsWith("-") ? "No command was given" : `No such command: ${name}`;
}

function parseFlags(row: CommandRow, args: readonly string[]): CommandOptions {
  try {
    return parseArgs({ args: [...args], options: { ...COMMON_FLAGS, ...row.flags }, allowPositionals: true });
  } catch (cause) {
    const [reason = ""] = (cause as Error).message.split(". ");
    throw usageError(reason, toUsage(row), cause);
  }
}

function assertComplete(row: CommandRow, { values, positionals }: CommandOptions): void {
  const { needed, more = [] } = row.words;
  const flags = (row.neededFlags ?? []).filter((flag) => values[flag] === undefined).map((flag) => `--${flag}`);
  const missing = [...needed.slice(positionals.length), ...flags];
  if (missing.length > 0) throw usageError(`Missing for ${row.name}: ${missing.join(" and ")}`, toUsage(row));
  if (positionals.length > needed.length + more.length)
    throw usageError(`Too many arguments for ${row.name}: ${positionals.length}`, toUsage(row));
}

function usageError(message: string, usage: string, cause?: unknown): TeamMemoryError {
  return new TeamMemoryError("usage", message, { details: { usage }, cause });
}

function toUsage({ name, words, flags, neededFlags = [] }: CommandRow): string {
  const named = neededFlags.map((flag) => `--${flag} ${flags[flag]?.value}`);
  const optional = (words.more ?? []).map((word) => `[${word}]`);
  return ["team-memory-server", name, ...words.needed, ...optional, ...named, "[FLAGS]"].join(" ");
}

export function helpText(row?: CommandRow): string {
  if (row !== undefined)
    return [toUsage(row), "", row.summary, "", ...toFlagLines({ ...row.flags, ...COMMON_FLAGS })].join("\n");
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    "team-memory-server COMMAND [--json]",
    "",
    ...lines,
    "",
    "team-memory-server COMMAND --help says more; settings may also come from TEAM_MEMORY_* variables",
  ].join("\n");
}
