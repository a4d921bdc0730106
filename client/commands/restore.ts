import { EXIT } from "../../shared/errors/codes.ts";
import type { Command } from "../cli.ts";
import { toShellWord } from "../shell-word.ts";
import { restoreKey } from "../sync/wish/edit-key.ts";
import { openSync } from "./open-sync.ts";
import { toKey } from "./to-key.ts";
import { withPlace } from "./with-place.ts";

/** Back to the team's text, or a removed memory back on purpose. */
export const restore: Command = async (options, io) => {
  const context = openSync(options);
  const key = toKey(context, options.positionals[0]);
  const { restored, isParked, isFound } = await withPlace(context, io, () => restoreKey(context, key));
  io.result({ key, restored }, [
    restored === "reverted"
      ? `As the team has it${isParked ? "; a text of yours that it replaced is in the attic" : ""}: ${key}`
      : `${isFound ? "Back here" : "Here"}: ${key}`,
    ...(restored === "reverted" ? [] : [`The next sync proposes it; at once: team-memory push ${toShellWord(key)}`]),
  ]);
  return EXIT.ok;
};
