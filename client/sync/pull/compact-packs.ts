import { LIMITS } from "../../../shared/limits.ts";
import type { PackName } from "../state/head.ts";
import { type Arrival, type PristineText, readPristine } from "../state/pristine.ts";
import { type Gone, isGone } from "../state/pristine-record.ts";
import { type Copies, readChecked } from "./copies.ts";

export interface PackPlan {
  readonly packsBefore: readonly PackName[];
  readonly arrivals: readonly Arrival[];
}

/**
 * What the next pack holds, and behind which packs it stands: what arrived, or once there are many packs, all that came
 * after the first, so that the large first pull is not written anew for a few small ones. Where most has changed since,
 * everything goes into one.
 *
 * @throws TeamMemoryError `state_damaged`
 */
export function planPack(stateFolder: string, packs: readonly PackName[], copies: Copies): PackPlan {
  const [first] = packs;
  if (first === undefined || packs.length < LIMITS.pristinePacksMax)
    return { packsBefore: packs, arrivals: copies.arrivals };
  const all = [...copies.after.values()];
  const later = all.filter(({ place }) => place.pack.name !== first.name);
  const toArrival = withText(stateFolder, copies.arrivals);
  if (later.length * 2 > all.length) return { packsBefore: [], arrivals: all.map(toArrival) };
  const removed = listRemoved(stateFolder, first, copies);
  return { packsBefore: [first], arrivals: [...later.map(toArrival), ...removed] };
}

function listRemoved(stateFolder: string, first: PackName, { after }: Copies): Gone[] {
  const keys = [...(readPristine(stateFolder, [first]) ?? new Map()).keys()];
  return keys.filter((key) => !after.has(key)).map((key) => ({ key, blob: null }));
}

function withText(stateFolder: string, arrivals: readonly Arrival[]): (copy: PristineText) => Arrival {
  const texts = new Map(arrivals.flatMap((one) => (isGone(one) ? [] : [[one.key, one.text] as const])));
  return (copy) => {
    const { place: _place, ...received } = copy;
    return { ...received, text: texts.get(copy.key) ?? readChecked(stateFolder, copy) };
  };
}
