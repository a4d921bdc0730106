import { EXIT } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Command, CommandOptions } from "../command.ts";
import { readConfig } from "../config.ts";
import type { ServerIo } from "../io.ts";
import type { StateFiles } from "../state/state-files.ts";
import { BASES_FILE } from "../sync/world/bases-file.ts";
import { type Hold, planAccept, toHoldWords } from "../sync/world/hold.ts";
import { assertDataFolder, openFolder } from "./open-folder.ts";

type Action = (state: StateFiles, options: CommandOptions, io: ServerIo) => Promise<void>;

/** Works beside a running service, which records what it holds and looks for what was accepted at its next look. */
export const base: Command = async (options, io) => {
  const [name = ""] = options.positionals;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new TeamMemoryError("usage", `No such action: ${name}; one of ${Object.keys(ACTIONS).join(", ")}`);
  const config = readConfig(options.values);
  await assertDataFolder(config);
  const { state } = await openFolder(config);
  await action(state, options, io);
  return EXIT.ok;
};

const ACTIONS: Readonly<Record<string, Action>> = {
  show: async (state, _options, io) => {
    const { held, accepted } = await state.read(BASES_FILE);
    io.result({ held, accepted }, held.length === 0 ? ["Nothing is held"] : held.map(toLine));
  },

  accept: async (state, { positionals }, io) => {
    const [, revision] = positionals;
    if (revision === undefined) throw new TeamMemoryError("usage", "Missing for base accept: REVISION");
    const said = { by: "team-memory-server", at: new Date().toISOString() };
    const accepted = await state.update(BASES_FILE, (bases) => planAccept(bases, revision, said));
    io.result(
      { accepted },
      accepted.map((hold) => `Accepted: ${toHoldWords(hold)}`),
    );
  },
};

function toLine(hold: Hold): string {
  const remedy = hold.revision === null ? "put it back on the remote" : `accept with base accept ${hold.revision}`;
  return `${toHoldWords(hold)}; ${remedy}`;
}
