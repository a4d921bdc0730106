import type { Command } from "../cli.ts";
import { pull as pullMemories } from "../sync/pull.ts";
import { openSync, toPullOptions } from "./open-sync.ts";
import { toExitCode, toPullLines } from "./say-pull.ts";

/** Takes what the team has approved. */
export const pull: Command = async (options, io) => {
  const context = openSync(options);
  const acceptRemovals = options.values["accept-removals"] === true;
  const report = await pullMemories(context, { ...toPullOptions(io), acceptRemovals });
  io.result({ pull: report }, toPullLines(report));
  return toExitCode(report);
};
