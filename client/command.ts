import type { ClientEnvironment } from "./config.ts";
import type { Io } from "./io.ts";
import type { Flags } from "./parse-words.ts";

/** What a command is given. */
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
  readonly flags: Flags;
  readonly words: { readonly needed: readonly string[]; readonly max: number };
  readonly load: () => Promise<Command>;
}

export interface ParsedCall {
  readonly row: CommandRow;
  readonly positionals: readonly string[];
  readonly values: CommandOptions["values"];
}
