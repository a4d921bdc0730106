import type { WrittenFlags } from "./config.ts";
import type { ServerIo } from "./io.ts";

export interface CommandOptions {
  readonly positionals: readonly string[];
  readonly values: WrittenFlags;
}

/** Prints through `io` and gives the exit code; throws TeamMemoryError for what it could not do. */
export type Command = (options: CommandOptions, io: ServerIo) => Promise<number>;
