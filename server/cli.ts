import { type ParseArgsConfig, parseArgs } from "node:util";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import type { Command, CommandOptions } from "./command.ts";
import { FOLDER_FLAGS, SERVE_FLAGS } from "./config.ts";

/** The command table. A command's module is loaded when it is called. */
export interface CommandRow {
  readonly usage: string;
  readonly summary: string;
  readonly flags: NonNullable<ParseArgsConfig["options"]>;
  readonly positionals: readonly [min: number, max: number];
  readonly load: () => Promise<Command>;
}

const GRANT_FLAGS = {
  role: { type: "string" },
  project: { type: "string", multiple: true },
  name: { type: "string" },
  email: { type: "string" },
} as const;

const COMMANDS: Readonly<Record<string, CommandRow>> = {
  serve: {
    usage: "serve [--data DIR] [--host HOST] [--port PORT] [--public-url URL] [--log-level LEVEL]",
    summary: "run the service on an embedded repository in the data folder",
    flags: SERVE_FLAGS,
    positionals: [0, 0],
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  invite: {
    usage: "invite [--role ROLE] [--project PATTERN]... [--name NAME] [--email EMAIL] [--count N]",
    summary: "make links that let one person each join, once, for a week",
    flags: { ...FOLDER_FLAGS, ...GRANT_FLAGS, "public-url": { type: "string" }, count: { type: "string" } },
    positionals: [0, 0],
    load: async () => (await import("./commands/invite.ts")).invite,
  },
  token: {
    usage:
      "token create [--person ID | --name NAME --email EMAIL] [--role ROLE] [--project PATTERN]... | list | revoke ID",
    summary: "make, list and take back tokens and open invites",
    flags: { ...FOLDER_FLAGS, ...GRANT_FLAGS, person: { type: "string" }, machine: { type: "string" } },
    positionals: [1, 2],
    load: async () => (await import("./commands/token.ts")).token,
  },
  backup: {
    usage: "backup FILE [--data DIR]",
    summary: "write repository, people and secret into one file; the service may run meanwhile",
    flags: FOLDER_FLAGS,
    positionals: [1, 1],
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  restore: {
    usage: "restore FILE --data DIR",
    summary: "make a data folder from such a file",
    flags: FOLDER_FLAGS,
    positionals: [1, 1],
    load: async () => (await import("./commands/restore.ts")).restore,
  },
};

const COMMON_FLAGS = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

export interface ParsedCall extends CommandOptions {
  readonly row: CommandRow;
}

/** @throws TeamMemoryError `usage` */
export function parseCall([name = "", ...args]: readonly string[]): ParsedCall {
  const row = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (row === undefined) throw usageError(`Could not find the command ${JSON.stringify(name)}`);
  const { values, positionals } = parseFlags(row, args);
  const [min, max] = row.positionals;
  if (values["help"] !== true && (positionals.length < min || positionals.length > max))
    throw usageError(`Could not use ${positionals.length} arguments`);
  return { row, values, positionals };
}

function parseFlags(row: CommandRow, args: readonly string[]): CommandOptions {
  try {
    const options = { ...COMMON_FLAGS, ...row.flags };
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    const [reason = ""] = (cause as Error).message.split(". ");
    throw usageError(`Could not read the arguments: ${reason}`, cause);
  }
}

function usageError(message: string, cause?: unknown): TeamMemoryError {
  return new TeamMemoryError("usage", message, { cause });
}

/** What somebody needs to see whose call was not understood. */
export function usageOf([name = ""]: readonly string[]): string {
  return helpText(Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined);
}

export function helpText(row?: CommandRow): string {
  if (row !== undefined) return `team-memory-server ${row.usage} [--json]\n\n${row.summary}`;
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(8)}${summary}`);
  return [
    "team-memory-server COMMAND [--json]",
    "",
    ...lines,
    "",
    "COMMAND --help says more; settings may also come from TEAM_MEMORY_* variables",
  ].join("\n");
}
