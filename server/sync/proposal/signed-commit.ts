import type { Commit, Identity } from "../../git/port.ts";
import { hasSeal, type SealKey } from "./seal.ts";
import { parseTrailers, type Trailers } from "./trailers.ts";

/** What tells the service's commits from others. */
export interface Signer {
  readonly committer: Identity;
  readonly sealKey: SealKey;
}

/** A commit with our trailers. */
export interface SignedCommit {
  readonly commit: Commit;
  readonly trailers: Trailers;
  readonly subject: string;
  /** True: the service made it, for the person that it names. */
  readonly isSealed: boolean;
  /**
   * It says that the service made it, which only counts where a lie harms nobody but who tells it, and on the base, to
   * which only reviewers push. The message alone does not say so: `git commit --amend` keeps it and changes the committer.
   */
  readonly isOwn: boolean;
}

/** Null for a commit without our trailers. */
export function parseSignedCommit({ committer, sealKey }: Signer, commit: Commit): SignedCommit | null {
  const trailers = parseTrailers(commit.message);
  if (trailers === null) return null;
  const { name, email } = commit.committer;
  // A seal covers the committer: what was made under another name of the service's stays the service's.
  const isSealed = hasSeal(sealKey, commit);
  const isOwn = isSealed || (name === committer.name && email === committer.email);
  return { commit, trailers, subject: subjectOf(commit), isOwn, isSealed };
}

/**
 * For each proposal the newest commit of its branch that says so: sealed ones before those that only say that they are the
 * service's, these before copies that somebody amended; then by `seq`, then the one that comes first.
 */
export function findSignedHeads(signer: Signer, commits: readonly Commit[]): ReadonlyMap<string, SignedCommit> {
  const heads = new Map<string, SignedCommit>();
  for (const commit of commits) {
    const signed = parseSignedCommit(signer, commit);
    if (signed === null || signed.trailers.reviewer !== null) continue;
    const known = heads.get(signed.trailers.proposal);
    if (known === undefined || isBelow(known, signed)) heads.set(signed.trailers.proposal, signed);
  }
  return heads;
}

function isBelow(one: SignedCommit, other: SignedCommit): boolean {
  const [below, above] = [rank(one), rank(other)];
  return below === above ? one.trailers.seq < other.trailers.seq : below < above;
}

function rank({ isSealed, isOwn }: SignedCommit): number {
  return isSealed ? 2 : isOwn ? 1 : 0;
}

const PUSHED = " (pushed with git)";

/** Git takes any name and address for an author: only a seal says that a person of the service is meant. */
export function toAuthorName({ commit, isSealed }: SignedCommit): string {
  return isSealed ? commit.author.name : toPushedName(commit.author.name);
}

/** The service's own commits on such a branch have it in their author's name already. */
export function toPushedName(name: string): string {
  return name.endsWith(PUSHED) ? name : `${name}${PUSHED}`;
}

function subjectOf(commit: Commit): string {
  return commit.message.split("\n", 1)[0] ?? "";
}
