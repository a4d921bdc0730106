/** What the mirror keeps of a remote, under which names, and how it follows it: pure. */
import { HIDDEN_REF } from "../create-repository.ts";
import type { GitId, RefUpdate } from "../port.ts";
import { isRefName } from "../ref-name.ts";
import { findStateRef } from "./state-ref.ts";
import type { RemoteRefs } from "./transport.ts";

/** The base has one name in every mirror; what its branch is called on the remote is the remote's affair. */
export interface BaseNames {
  readonly baseRef: string;
  readonly remoteBaseRef: string;
}

const OWN_PREFIX = "refs/team-memory/";
const PREFIXES = ["refs/heads/team-memory/", OWN_PREFIX];

/** Of the state, too; null: it lies nowhere yet. */
export interface MirrorNames extends BaseNames {
  readonly remoteStateRef: string | null;
}

export function toRemoteName(ref: string, { baseRef, remoteBaseRef, remoteStateRef }: MirrorNames): string {
  if (ref === baseRef) return remoteBaseRef;
  return ref === HIDDEN_REF ? (remoteStateRef ?? HIDDEN_REF) : ref;
}

/** The mirror's names; branches of people are left out, and names that no file may have. */
export function toMirrored(listed: RemoteRefs, { baseRef, remoteBaseRef }: BaseNames): RemoteRefs {
  const mirrored = new Map<string, GitId>();
  const stateRef = findStateRef(listed);
  for (const [ref, id] of listed) {
    if (ref === stateRef) mirrored.set(HIDDEN_REF, id);
    else if (ref === remoteBaseRef) mirrored.set(baseRef, id);
    else if (PREFIXES.some((prefix) => ref.startsWith(prefix)) && isRefName(ref)) mirrored.set(ref, id);
  }
  return mirrored;
}

/**
 * Deletions come apart and first: `a` goes before `a/b` comes. Our own references are never deleted on purpose: with the one
 * that holds people and tokens everybody would be locked out, so what is gone there stays here.
 */
export function planMirrorMoves(
  before: RemoteRefs,
  there: RemoteRefs,
  held: ReadonlySet<string>,
): { readonly deletions: readonly RefUpdate[]; readonly others: readonly RefUpdate[] } {
  const refs = [...new Set([...before.keys(), ...there.keys()])].filter((ref) => !held.has(ref));
  const moves = refs
    .map((ref) => ({ ref, expectedOld: before.get(ref) ?? null, new: there.get(ref) ?? null }))
    .filter((move) => move.expectedOld !== move.new);
  return {
    deletions: moves.filter((move) => move.new === null && !move.ref.startsWith(OWN_PREFIX)),
    others: moves.filter((move) => move.new !== null),
  };
}
