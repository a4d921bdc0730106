import type { Sides } from "./pick-changed.ts";

type Ids = readonly string[];

/**
 * One order for everything that either side has, each once. The side that moved what the base had leads, else the one
 * whose ids sort first: the same whichever side is called mine. What only the other side has stands before what
 * follows it there.
 */
export function mergeOrder(sides: Sides<Ids>): Ids {
  const [lead, other] = isLedByTheirs(sides) ? [sides.theirs, sides.mine] : [sides.mine, sides.theirs];
  const order = [...lead];
  const known = new Set(lead);
  for (let at = other.length - 1; at >= 0; at -= 1) {
    const id = other[at] ?? "";
    if (known.has(id)) continue;
    const next = other[at + 1];
    order.splice(next === undefined ? order.length : order.indexOf(next), 0, id);
  }
  return order;
}

function isLedByTheirs({ base, mine, theirs }: Sides<Ids>): boolean {
  const hasMineMoved = isMoved(base, mine);
  const haveTheirsMoved = isMoved(base, theirs);
  return hasMineMoved === haveTheirsMoved ? JSON.stringify(theirs) < JSON.stringify(mine) : haveTheirsMoved;
}

function isMoved(base: Ids, side: Ids): boolean {
  const kept = new Set(side);
  const known = new Set(base);
  return JSON.stringify(base.filter((id) => kept.has(id))) !== JSON.stringify(side.filter((id) => known.has(id)));
}
