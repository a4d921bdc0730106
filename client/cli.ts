import { type ParseArgsConfig, parseArgs } from "node:util";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { hook } from "./commands/hook.ts";
import { pull } from "./commands/pull.ts";
import type { ClientEnvironment } from "./config.ts";
import type { Io } from "./io.ts";

/**
 * The command table. A command's module is loaded when it is called: the session-start hook must not pay for the others. It
 * and the pull are there from the beginning, for they are what runs every day.
 */
export interface CommandOptions {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly env: ClientEnvironment;
  readonly cwd: string;
}

/** Prints through `io` and gives the exit code; throws TeamMemoryError for what it could not do. */
export type Command = (options: CommandOptions, io: Io) => Promise<number>;

export interface CommandRow {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly flags: NonNullable<ParseArgsConfig["options"]>;
  readonly positionals: { readonly min: number; readonly max: number };
  readonly load: () => Promise<Command>;
}

export interface ParsedCall {
  readonly row: CommandRow;
  readonly positionals: readonly string[];
  readonly values: CommandOptions["values"];
}

const NONE = { min: 0, max: 0 };
const ONE = { min: 1, max: 1 };
const ANY = { min: 0, max: Number.POSITIVE_INFINITY };

export const COMMANDS: readonly CommandRow[] = [
  {
    name: "join",
    usage:
      "join [LINK] [--project NAME] [--no-install] [--insecure] [--move | --fresh] [--propose ask|auto] [--name NAME] [--email ADDRESS]",
    summary: "take part in the project of this folder",
    flags: {
      project: { type: "string" },
      "no-install": { type: "boolean" },
      insecure: { type: "boolean" },
      move: { type: "boolean" },
      fresh: { type: "boolean" },
      propose: { type: "string" },
      name: { type: "string" },
      email: { type: "string" },
    },
    positionals: { min: 0, max: 1 },
    load: async () => (await import("./commands/join.ts")).join,
  },
  {
    name: "leave",
    usage: "leave [--project NAME | --all]",
    summary: "undo join, in all clones here; what the team does not have stays where it is",
    flags: { project: { type: "string" }, all: { type: "boolean" } },
    positionals: NONE,
    load: async () => (await import("./commands/leave.ts")).leave,
  },
  {
    name: "sync",
    usage: "sync",
    summary: "pull, then propose what changed here",
    flags: {},
    positionals: NONE,
    load: async () => (await import("./commands/sync.ts")).sync,
  },
  {
    name: "pull",
    usage: "pull [--accept-removals]",
    summary: "take what the team has approved; replaced texts go to the attic",
    flags: { "accept-removals": { type: "boolean" } },
    positionals: NONE,
    load: async () => pull,
  },
  {
    name: "push",
    usage: "push [KEY...]",
    summary: "propose what changed here; a KEY is sent even where it was held back",
    flags: {},
    positionals: ANY,
    load: async () => (await import("./commands/push.ts")).push,
  },
  {
    name: "status",
    usage: "status",
    summary: "each file's state, and how fresh the copy is",
    flags: {},
    positionals: NONE,
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    name: "diff",
    usage: "diff [KEY]",
    summary: "what is changed here",
    flags: {},
    positionals: { min: 0, max: 1 },
    load: async () => (await import("./commands/diff.ts")).diff,
  },
  {
    name: "conflicts",
    usage: "conflicts [list | show KEY | resolve KEY (--mine | --theirs | --both | --edit | --text-file FILE)]",
    summary: "decide about memories that you and the team changed in ways that do not merge",
    flags: {
      mine: { type: "boolean" },
      theirs: { type: "boolean" },
      both: { type: "boolean" },
      edit: { type: "boolean" },
      "text-file": { type: "string" },
    },
    positionals: ANY,
    load: async () => (await import("./commands/conflicts.ts")).conflicts,
  },
  {
    name: "attic",
    usage: "attic [list [KEY] | show PATH-or-NUMBER | restore KEY [--at NUMBER]]",
    summary: "look at texts that were replaced here, and bring one back",
    flags: { at: { type: "string" } },
    positionals: ANY,
    load: async () => (await import("./commands/attic.ts")).attic,
  },
  {
    name: "keep-private",
    usage: "keep-private KEY",
    summary: "move a memory that the team does not have to your private ones",
    flags: {},
    positionals: ONE,
    load: async () => (await import("./commands/keep-private.ts")).keepPrivate,
  },
  {
    name: "rm",
    usage: "rm KEY",
    summary: "propose removing a memory for all",
    flags: {},
    positionals: ONE,
    load: async () => (await import("./commands/rm.ts")).rm,
  },
  {
    name: "restore",
    usage: "restore KEY",
    summary: "bring a memory back to the team's text, or a removed one back on purpose",
    flags: {},
    positionals: ONE,
    load: async () => (await import("./commands/restore.ts")).restore,
  },
  {
    name: "review",
    usage: "review [list | show ID | approve ID [KEY...] [--head COMMIT] | close ID [KEY...] --reason TEXT]",
    summary: "look at proposals and decide on them, if you are a reviewer",
    flags: { reason: { type: "string" }, head: { type: "string" } },
    positionals: ANY,
    load: async () => (await import("./commands/review.ts")).review,
  },
  {
    name: "hook",
    usage: "hook session-start|pre-tool-use|stop|session-end [--part 1|2]",
    summary: "what the coding agent's host runs; reads its JSON on standard input",
    flags: { part: { type: "string" } },
    positionals: ONE,
    load: async () => hook,
  },
];

const COMMON_FLAGS = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

/** @throws TeamMemoryError `usage` */
export function parseCall(args: readonly string[]): ParsedCall {
  const row = COMMANDS.find(({ name }) => name === args[0]);
  if (row === undefined) throw usageError(toUnknown(args[0]), helpText());
  const { values, positionals } = parseFlags(row, args.slice(1));
  const { min, max } = row.positionals;
  const isComplete = values["help"] === true || (positionals.length >= min && positionals.length <= max);
  const amount = positionals.length < min ? "few" : "many";
  if (!isComplete) throw usageError(`Too ${amount} arguments for ${row.name}: ${positionals.length}`, toUsage(row));
  return { row, values: values as CommandOptions["values"], positionals };
}

function toUnknown(name: string | undefined): string {
  return name === undefined || name.startsWith("-") ? "No command was given" : `No such command: ${name}`;
}

function toUsage({ usage }: CommandRow): string {
  return `team-memory ${usage} [--json]`;
}

export function helpText(row?: CommandRow): string {
  if (row !== undefined) return `${toUsage(row)}\n\n${row.summary}`;
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return ["team-memory COMMAND [--json]", "", ...lines, "", "team-memory COMMAND --help says more"].join("\n");
}

function parseFlags(row: CommandRow, args: readonly string[]) {
  try {
    const options = { ...COMMON_FLAGS, ...row.flags };
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = (error as Error).message.split(". ")[0] ?? "";
    throw usageError(reason, toUsage(row), error);
  }
}

function usageError(message: string, usage: string, cause?: unknown): TeamMemoryError {
  return new TeamMemoryError("usage", message, { details: { usage }, ...(cause === undefined ? {} : { cause }) });
}
