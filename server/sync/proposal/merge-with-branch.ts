/**
 * A new set meets a branch to which a person has committed: what the client changed since it last sent is taken, what the
 * person changed is kept, and where both changed one key it is a conflict.
 */
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { type ConflictingKey, toConflict } from "./conflict.ts";
import type { KeyChange, OpenProposal } from "./proposal.ts";
import { isSameSent, type Sent, type SentSet, toSent } from "./sent.ts";

export interface MergedSet {
  readonly net: ReadonlyMap<MemoryKey, KeyChange>;
  /** What the client sent, for the keys where the branch keeps a person's text. */
  readonly sent: SentSet;
}

/** @throws TeamMemoryError conflict */
export function mergeWithBranch(open: OpenProposal, wanted: ReadonlyMap<MemoryKey, KeyChange>): MergedSet {
  const net = new Map<MemoryKey, KeyChange>();
  const kept = new Map<string, Sent>();
  const conflicts: ConflictingKey[] = [];
  const keys = new Set([...wanted.keys(), ...open.changes.keys(), ...(open.sent.keys() as Iterable<MemoryKey>)]);
  for (const key of keys) {
    const mine = wanted.get(key);
    const theirs = open.changes.get(key);
    const verdict = mergeKey({ was: open.sent.get(key) ?? "nothing", mine: toSent(mine), theirs: toSent(theirs) });
    if (verdict === "conflict") conflicts.push(toConflicting(key, mine, theirs));
    const change = verdict === "mine" ? mine : theirs;
    if (change !== undefined) net.set(key, change);
    if (verdict === "theirs" && !isSameSent(toSent(mine), toSent(theirs))) kept.set(key, toSent(mine));
  }
  if (conflicts.length > 0) throw toConflict(conflicts);
  return { net, sent: kept };
}

interface ThreeSides {
  readonly was: Sent;
  readonly mine: Sent;
  readonly theirs: Sent;
}

function mergeKey({ was, mine, theirs }: ThreeSides): "mine" | "theirs" | "conflict" {
  if (isSameSent(theirs, was) || isSameSent(theirs, mine)) return "mine";
  // A change that is no longer sent may have been withdrawn; a person's text is not.
  return isSameSent(mine, was) || mine === "nothing" ? "theirs" : "conflict";
}

function toConflicting(key: string, mine: KeyChange | undefined, theirs: KeyChange | undefined): ConflictingKey {
  return { key, baseBlob: mine?.base ?? null, current: theirs?.blob ?? null, wanted: mine?.blob ?? null };
}
