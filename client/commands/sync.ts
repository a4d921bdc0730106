import type { Command } from "../cli.ts";
import { withLock } from "../sync/lock.ts";
import { pullLocked } from "../sync/pull.ts";
import { pushLocked } from "../sync/push.ts";
import { openSync, toPullOptions } from "./open-sync.ts";
import { toExitCode, toPullLines } from "./say-pull.ts";
import { toPushExitCode, toPushLines } from "./say-push.ts";

/** Pull, then push, as one run. */
export const sync: Command = async (options, io) => {
  const context = openSync(options);
  const pulling = toPullOptions(io);
  const onWait = () => io.progress("Waiting for another team-memory run");
  const lock = { waitMs: pulling.lockWaitMs, onWait };
  const { pull, push } = await withLock(context.stateFolder, lock, async () => ({
    pull: await pullLocked(context, pulling),
    push: await pushLocked(context, { ...pulling, named: new Set() }),
  }));
  io.result({ pull, push }, [...toPullLines(pull), ...toPushLines(push)]);
  return toPushExitCode(push) || toExitCode(pull);
};
