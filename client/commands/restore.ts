import { EXIT } from "../../shared/errors/codes.ts";
import type { Command } from "../command.ts";
import { restoreKey } from "../sync/wish/edit-key.ts";
import { openSync } from "./open-sync.ts";
import { toCopiesCommand, toDecidedLines, toProposeLine, toUnderReviewLines } from "./say-next.ts";
import { toKey } from "./to-key.ts";
import { withPlace } from "./with-place.ts";

/** Back to the team's text, or a removed memory back on purpose. */
export const restore: Command = async (options, io) => {
  const context = openSync(options);
  const key = toKey(context, options.positionals[0]);
  const { restored, isParked, isFound, isDecided } = await withPlace(context, io, () => restoreKey(context, key));
  const isReverted = restored === "reverted";
  io.result({ key, restored, isDecided }, [
    `${isReverted ? "As the team has it" : isFound ? "Back here" : "Here"}: ${key}`,
    ...(isParked ? [`Your text that lay there is kept: ${toCopiesCommand(key)}`] : []),
    ...toDecidedLines(isDecided, key),
    ...toUnderReviewLines(context, key),
    ...(isReverted ? [] : [toProposeLine(options, context, key)]),
  ]);
  return EXIT.ok;
};
