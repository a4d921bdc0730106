import { EXIT } from "../../shared/errors/codes.ts";
import { sanitizePathKey } from "../../shared/path/sanitize-path-key.ts";
import type { Command } from "../cli.ts";
import { restoreKey } from "../sync/edit-key.ts";
import { withPlace } from "./with-place.ts";

/** Back to the team's text, or a removed memory back on purpose. */
export const restore: Command = async (options, io) => {
  const key = sanitizePathKey(options.positionals[0]);
  const restored = await withPlace(options, io, (context) => restoreKey(context, key));
  io.result({ key, restored }, [
    restored === "reverted"
      ? `As the team has it; a text of yours that it replaced is in the attic: ${key}`
      : `Back here, and to be proposed again by the next sync: ${key}`,
  ]);
  return EXIT.ok;
};
