import { EXIT } from "../../shared/errors/codes.ts";
import type { Command } from "../command.ts";
import { keepPrivate as moveToPrivate } from "../sync/wish/keep-private.ts";
import { openSync } from "./open-sync.ts";
import { toUnderReviewLines } from "./say-next.ts";
import { toKey } from "./to-key.ts";
import { withPlace } from "./with-place.ts";

/** For what a reviewer said no to, or what was never meant for the team. */
export const keepPrivate: Command = async (options, io) => {
  const context = openSync(options);
  const key = toKey(context, options.positionals[0]);
  const { path, isProposed } = await withPlace(context, io, () => moveToPrivate(context, key));
  io.result({ key, path, isProposed }, [
    `Private from now on: ${path}`,
    ...toUnderReviewLines(context, key),
    "MEMORY.md beside it is yours: add a line for it there",
  ]);
  return EXIT.ok;
};
