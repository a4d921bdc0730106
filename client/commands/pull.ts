import type { Command } from "../command.ts";
import { withLock } from "../sync/lock/lock.ts";
import { pullLocked } from "../sync/pull/pull.ts";
import { openSync, toLockOptions, toPullOptions } from "./open-sync.ts";
import { toExitCode, toPullLines } from "./say-pull.ts";

/** Takes what the team has approved. */
export const pull: Command = async (options, io) => {
  const context = openSync(options);
  const acceptRemovals = options.values["accept-removals"] === true;
  const report = await withLock(context.stateFolder, toLockOptions(io), () =>
    pullLocked(context, { ...toPullOptions(io), acceptRemovals }),
  );
  io.result({ pull: report }, toPullLines(report));
  return toExitCode(report);
};
