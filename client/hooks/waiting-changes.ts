import { type SyncContext, toWhere } from "../sync/context.ts";
import { planFromDisk } from "../sync/push/plan-from-disk.ts";
import { readState } from "../sync/state/state.ts";

/** The keys that a push would send now and that the service does not have yet. Asks nobody, changes nothing. */
export async function listWaiting(context: SyncContext): Promise<readonly string[]> {
  const state = readState(context.stateFolder, toWhere(context));
  // What lay there before the first pull is not sent of itself.
  if (state.isFirst) return [];
  const { set } = await planFromDisk(context, state, { named: new Set(), problems: [], refusals: new Map() });
  const { open } = state.outbox;
  const known = open?.acknowledged?.seq === open?.seq ? (open?.changes ?? []) : [];
  const isKnown = (key: string, blob: string | null) => known.some((sent) => sent.key === key && sent.blob === blob);
  return set.changes.filter(({ key, blob }) => !isKnown(key, blob)).map(({ key }) => key);
}
