import type { Command } from "../command.ts";
import { withLock } from "../sync/lock/lock.ts";
import { pullLocked } from "../sync/pull/pull.ts";
import { pushLocked } from "../sync/push/push.ts";
import { openSync, toLockOptions, toPullOptions } from "./open-sync.ts";
import { toExitCode, toPullLines, toTakenLines } from "./say-pull.ts";
import { toPushExitCode, toPushLines, withoutSaid } from "./say-push.ts";

/** Pull, then push, as one run. */
export const sync: Command = async (options, io) => {
  const context = openSync(options);
  const pulling = toPullOptions(io);
  const { pull, push } = await withLock(context.stateFolder, toLockOptions(io), async () => ({
    pull: await pullLocked(context, pulling),
    push: await pushLocked(context, { ...pulling, named: new Set() }),
  }));
  const toLines = push.pulled.kind === "pulled" ? toTakenLines : toPullLines;
  io.result({ pull, push }, [...new Set([...toLines(pull), ...toPushLines(withoutSaid(push, pull), Date.now())])]);
  return toPushExitCode(push) || toExitCode(pull);
};
