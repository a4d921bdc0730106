import type { Command } from "../command.ts";
import { withLock } from "../sync/lock/lock.ts";
import { pullLocked } from "../sync/pull/pull.ts";
import type { PullReport } from "../sync/pull/report.ts";
import { type PushReport, pushLocked } from "../sync/push/push.ts";
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
  io.result({ pull, push }, [...new Set([...toPullLines(pull), ...toPushLines(withoutSaid(push, pull), Date.now())])]);
  return toPushExitCode(push) || toExitCode(pull);
};

/** What both have to say of a memory is said once. */
function withoutSaid(push: PushReport, { changes, unplaced, outcomes }: PullReport): PushReport {
  const waiting = changes.filter(({ what }) => what === "conflict" || what === "removed_by_team");
  const said = new Set<string>([...waiting, ...unplaced].map(({ key }) => key));
  for (const { rejected } of outcomes) for (const key of rejected) said.add(key);
  return { ...push, held: push.held.filter(({ key }) => !said.has(key)) };
}
