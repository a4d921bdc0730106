import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { StateFiles } from "../state/state-files.ts";
import { BASES_FILE } from "../sync/world/bases-file.ts";
import { type Hold, planAccept, toHoldWords } from "../sync/world/hold.ts";
import type { NamedState } from "./open-folder.ts";
import { toCommand } from "./to-command.ts";

/** A running service records what it holds, and looks for what was accepted at its next look. */
export const base = toCommand({
  show: async ({ openStates }, _options, io) => {
    const states = await openStates();
    const bases = await Promise.all(toOpen(states).map((state) => state.read(BASES_FILE)));
    const [held, accepted] = [bases.flatMap((one) => one.held), bases.flatMap((one) => one.accepted)];
    const unseen = states.flatMap(toUnseen);
    const lines = held.length === 0 ? ["Nothing is held"] : held.map(toLine);
    io.result({ held, accepted, unseen }, [
      ...lines,
      ...unseen.map(({ remote, why }) => `${remote}: not looked at: ${why}`),
    ]);
  },

  accept: async ({ openStates }, { positionals }, io) => {
    const [, revision] = positionals;
    if (revision === undefined) throw new TeamMemoryError("usage", "Missing for base accept: REVISION");
    const said = { by: "team-memory-server", at: new Date().toISOString() };
    const state = await findHolder(await openStates(), revision);
    const accepted = await state.update(BASES_FILE, (bases) => planAccept(bases, revision, said));
    io.result(
      { accepted },
      accepted.map((hold) => `Accepted: ${toHoldWords(hold)}`),
    );
  },
});

function toOpen(states: readonly NamedState[]): readonly StateFiles[] {
  return states.flatMap(({ state }) => (isTeamMemoryError(state) ? [] : [state]));
}

function toUnseen({ name, state }: NamedState): readonly { readonly remote: string; readonly why: string }[] {
  return isTeamMemoryError(state) ? [{ remote: name, why: state.message }] : [];
}

/** The remote that holds it. @throws TeamMemoryError not_found, or why a remote that may hold it cannot be opened */
async function findHolder(states: readonly NamedState[], revision: string): Promise<StateFiles> {
  for (const state of toOpen(states)) {
    const { held } = await state.read(BASES_FILE);
    if (held.some((hold) => hold.revision === revision)) return state;
  }
  const unseen = states.map(({ state }) => state).find(isTeamMemoryError);
  if (unseen !== undefined) throw unseen;
  throw new TeamMemoryError("not_found", `Could not find anything that is held at ${JSON.stringify(revision)}`);
}

function toLine(hold: Hold): string {
  const remedy = hold.revision === null ? "put it back on the remote" : `accept with base accept ${hold.revision}`;
  return `${toHoldWords(hold)}; ${remedy}`;
}
