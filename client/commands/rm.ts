import { EXIT } from "../../shared/errors/codes.ts";
import type { Command } from "../command.ts";
import { toShellWord } from "../shell-word.ts";
import { removeKey } from "../sync/wish/edit-key.ts";
import { openSync } from "./open-sync.ts";
import { toDecidedLines, toProposeLine, toUnderReviewLines } from "./say-next.ts";
import { toKey } from "./to-key.ts";
import { withPlace } from "./with-place.ts";

/** Takes a memory away here, and proposes the same for all; deleting the file alone would bring it back. */
export const rm: Command = async (options, io) => {
  const context = openSync(options);
  const key = toKey(context, options.positionals[0]);
  const { removed, isParked, isDecided } = await withPlace(context, io, () => removeKey(context, key));
  const isProposal = removed === "proposal";
  io.result({ key, removed, isDecided }, [
    `${isProposal ? "Removed here" : "Removed; the team does not have it"}: ${key}`,
    ...(isProposal ? [toProposeLine(options, context, key)] : []),
    ...toUnderReviewLines(context, key),
    ...toDecidedLines(isDecided, key),
    `${isParked ? "Its text is kept; to" : "To"} undo: team-memory restore ${toShellWord(key)}`,
  ]);
  return EXIT.ok;
};
