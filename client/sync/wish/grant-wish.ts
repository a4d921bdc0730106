import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { type SyncContext, toWhere } from "../context.ts";
import { settle } from "../pull/settle.ts";
import { openAttic } from "../state/attic.ts";
import { readState } from "../state/state.ts";
import type { Wish } from "./plan-wish.ts";

/** The index, and what the folder holds, as they are from now on; first, in the same step, what a person wants of a key. */
export function settleHere(context: SyncContext, wish?: Wish) {
  const state = readState(context.stateFolder, toWhere(context));
  const attic = openAttic(context.stateFolder, new Date());
  const request = { context, state, attic, answer: null, acceptRemovals: false, progress: () => {} };
  return settle(wish === undefined ? request : { ...request, wish });
}

/** Called by who holds the lock. @throws TeamMemoryError `busy` where somebody writes to it; `disk`, `disk_full` */
export async function grantWish(context: SyncContext, wish: Wish): Promise<void> {
  const { carried } = await settleHere(context, wish);
  if (carried.overtaken.includes(wish.key)) throw busyKey(wish.key);
}

export function busyKey(key: string): TeamMemoryError {
  return new TeamMemoryError("busy", `Somebody is writing to this memory: ${key}`, { details: { key } });
}
