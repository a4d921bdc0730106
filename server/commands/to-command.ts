import { EXIT } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Command, CommandOptions } from "../command.ts";
import { readConfig } from "../config.ts";
import type { ServerIo } from "../io.ts";
import { assertDataFolder, type OpenFolder, openFolder } from "./open-folder.ts";

/** One of the things that a command does in a data folder, named by its first word. */
export type Action = (folder: OpenFolder, options: CommandOptions, io: ServerIo) => Promise<void>;

/** A command that is nothing but its actions. It works beside a running service. */
export function toCommand(actions: Readonly<Record<string, Action>>): Command {
  return async (options, io) => {
    const [name = ""] = options.positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined)
      throw new TeamMemoryError("usage", `No such action: ${name}; one of ${Object.keys(actions).join(", ")}`);
    const config = readConfig(options.values);
    await assertDataFolder(config);
    await action(await openFolder(config), options, io);
    return EXIT.ok;
  };
}
