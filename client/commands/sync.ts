import type { Command } from "../cli.ts";
import { withLock } from "../sync/lock.ts";
import { pullLocked } from "../sync/pull.ts";
import { pushLocked } from "../sync/push.ts";
import { openSync, toLockOptions, toPullOptions } from "./open-sync.ts";
import { toExitCode, toPullLines } from "./say-pull.ts";
import { toPushExitCode, toPushLines } from "./say-push.ts";

/** Pull, then push, as one run. */
export const sync: Command = async (options, io) => {
  const context = openSync(options);
  const pulling = toPullOptions(io);
  const { pull, push } = await withLock(context.stateFolder, toLockOptions(io), async () => ({
    pull: await pullLocked(context, pulling),
    push: await pushLocked(context, { ...pulling, named: new Set() }),
  }));
  // What both have to say is said once.
  io.result({ pull, push }, [...new Set([...toPullLines(pull), ...toPushLines(push)])]);
  return toPushExitCode(push) || toExitCode(pull);
};
