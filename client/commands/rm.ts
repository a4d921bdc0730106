import { EXIT } from "../../shared/errors/codes.ts";
import { sanitizePathKey } from "../../shared/path/sanitize-path-key.ts";
import type { Command } from "../cli.ts";
import { removeKey } from "../sync/edit-key.ts";
import { withPlace } from "./with-place.ts";

/** Takes a memory away here, and proposes the same for all; deleting the file alone would bring it back. */
export const rm: Command = async (options, io) => {
  const key = sanitizePathKey(options.positionals[0]);
  const removed = await withPlace(options, io, (context) => removeKey(context, key));
  io.result({ key, removed }, [
    removed === "proposal"
      ? `Removed here, and to be proposed for all by the next sync: ${key}`
      : `Removed; the team never had it: ${key}`,
    "Its text is in the attic; to undo: team-memory restore",
  ]);
  return EXIT.ok;
};
