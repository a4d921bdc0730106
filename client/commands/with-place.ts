import { existsSync } from "node:fs";
import type { Io } from "../io.ts";
import { type SyncContext, toWhere } from "../sync/context.ts";
import { withLock } from "../sync/lock/lock.ts";
import { pullLocked } from "../sync/pull/pull.ts";
import { recover } from "../sync/pull/recover.ts";
import { openAttic } from "../sync/state/attic.ts";
import { statePath } from "../sync/state/layout.ts";
import { readState } from "../sync/state/state.ts";
import { toLockOptions, toPullOptions } from "./open-sync.ts";

/** For commands that change one place: under its lock, after a killed run was finished, and never before a first pull. */
export function withPlace<T>(context: SyncContext, io: Io, act: () => Promise<T>): Promise<T> {
  const { stateFolder } = context;
  return withLock(stateFolder, toLockOptions(io), async () => {
    if (existsSync(statePath(stateFolder, "journal"))) recover(context, openAttic(stateFolder, new Date()));
    if (readState(stateFolder, toWhere(context)).isFirst) await pullLocked(context, toPullOptions(io));
    return act();
  });
}
