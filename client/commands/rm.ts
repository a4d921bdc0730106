import { EXIT } from "../../shared/errors/codes.ts";
import type { Command } from "../cli.ts";
import { toShellWord } from "../shell-word.ts";
import { removeKey } from "../sync/wish/edit-key.ts";
import { openSync } from "./open-sync.ts";
import { toKey } from "./to-key.ts";
import { withPlace } from "./with-place.ts";

/** Takes a memory away here, and proposes the same for all; deleting the file alone would bring it back. */
export const rm: Command = async (options, io) => {
  const context = openSync(options);
  const key = toKey(context, options.positionals[0]);
  const { removed, isParked } = await withPlace(context, io, () => removeKey(context, key));
  io.result({ key, removed }, [
    removed === "proposal"
      ? `Removed here, and to be proposed for all by the next sync: ${key}`
      : `Removed; the team does not have it: ${key}`,
    `${isParked ? "Its text is in the attic; to" : "To"} undo: team-memory restore ${toShellWord(key)}`,
  ]);
  return EXIT.ok;
};
