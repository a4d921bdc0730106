import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { BASES_FILE } from "../sync/world/bases-file.ts";
import { type Hold, planAccept, toHoldWords } from "../sync/world/hold.ts";
import { toCommand } from "./to-command.ts";

/** A running service records what it holds, and looks for what was accepted at its next look. */
export const base = toCommand({
  show: async ({ state }, _options, io) => {
    const { held, accepted } = await state.read(BASES_FILE);
    io.result({ held, accepted }, held.length === 0 ? ["Nothing is held"] : held.map(toLine));
  },

  accept: async ({ state }, { positionals }, io) => {
    const [, revision] = positionals;
    if (revision === undefined) throw new TeamMemoryError("usage", "Missing for base accept: REVISION");
    const said = { by: "team-memory-server", at: new Date().toISOString() };
    const accepted = await state.update(BASES_FILE, (bases) => planAccept(bases, revision, said));
    io.result(
      { accepted },
      accepted.map((hold) => `Accepted: ${toHoldWords(hold)}`),
    );
  },
});

function toLine(hold: Hold): string {
  const remedy = hold.revision === null ? "put it back on the remote" : `accept with base accept ${hold.revision}`;
  return `${toHoldWords(hold)}; ${remedy}`;
}
