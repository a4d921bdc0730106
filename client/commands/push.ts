import { sanitizePathKey } from "../../shared/path/sanitize-path-key.ts";
import type { Command } from "../cli.ts";
import { push as pushMemories } from "../sync/push.ts";
import { openSync, toPullOptions } from "./open-sync.ts";
import { toPushExitCode, toPushLines } from "./say-push.ts";

/** Proposes what changed here; a key that is named is sent even where it was held back. */
export const push: Command = async (options, io) => {
  const named = new Set(options.positionals.map(sanitizePathKey));
  const report = await pushMemories(openSync(options), { ...toPullOptions(io), named });
  io.result({ push: report }, toPushLines(report));
  return toPushExitCode(report);
};
