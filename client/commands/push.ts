import { sanitizePathKey } from "../../shared/path/sanitize-path-key.ts";
import type { Command } from "../cli.ts";
import { withLock } from "../sync/lock.ts";
import { pushLocked } from "../sync/push.ts";
import { openSync, toLockOptions, toPullOptions } from "./open-sync.ts";
import { toPushExitCode, toPushLines, toSaidPush } from "./say-push.ts";

/** Proposes what changed here; a key that is named is sent even where it was held back. */
export const push: Command = async (options, io) => {
  const named = new Set(options.positionals.map(sanitizePathKey));
  const context = openSync(options);
  const report = await withLock(context.stateFolder, toLockOptions(io), () =>
    pushLocked(context, { ...toPullOptions(io), named }),
  );
  const said = toSaidPush(report);
  io.result({ push: said }, toPushLines(said));
  return toPushExitCode(report);
};
