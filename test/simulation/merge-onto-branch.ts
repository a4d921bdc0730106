import type { Change, ProposalModel } from "./proposal-model.ts";

/**
 * A new set meets a branch: what its client changed since it last sent is taken, what a person changed there is kept, and
 * where both changed one key it is a conflict.
 */
export function mergeOntoBranch(
  known: ProposalModel | undefined,
  wanted: ReadonlyMap<string, Change>,
): { readonly net: ReadonlyMap<string, Change>; readonly conflicts: readonly string[] } {
  if (known === undefined || known.human.size === 0) return { net: wanted, conflicts: [] };
  const net = new Map<string, Change>();
  const conflicts: string[] = [];
  for (const key of new Set([...wanted.keys(), ...known.changes.keys()])) {
    const verdict = mergeKey(known.sent.get(key), wanted.get(key), known.changes.get(key));
    if (verdict === "conflict") conflicts.push(key);
    const change = verdict === "mine" ? wanted.get(key) : known.changes.get(key);
    if (change !== undefined) net.set(key, change);
  }
  return { net, conflicts };
}

type Side = Change | undefined;

function mergeKey(was: Side, mine: Side, theirs: Side): "mine" | "theirs" | "conflict" {
  if (isSame(theirs, was) || isSame(theirs, mine)) return "mine";
  return isSame(mine, was) || mine === undefined ? "theirs" : "conflict";
}

function isSame(one: Side, other: Side): boolean {
  return one === undefined ? other === undefined : other !== undefined && one.blob === other.blob;
}
