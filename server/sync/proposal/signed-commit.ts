import type { Commit, Identity } from "../../git/port.ts";
import { parseTrailers, type Trailers } from "./trailers.ts";

/** A commit with our trailers. */
export interface SignedCommit {
  readonly commit: Commit;
  readonly trailers: Trailers;
  readonly subject: string;
  /**
   * True: the service made it. The message alone does not say so: `git commit --amend` keeps it and changes the
   * committer.
   */
  readonly isOwn: boolean;
}

/** Null for a commit without our trailers. */
export function parseSignedCommit(service: Identity, commit: Commit): SignedCommit | null {
  const trailers = parseTrailers(commit.message);
  if (trailers === null) return null;
  const { name, email } = commit.committer;
  const isOwn = name === service.name && email === service.email;
  return { commit, trailers, subject: subjectOf(commit), isOwn };
}

/**
 * For each proposal the newest commit of its branch that says so: the service's own before a copy of it that somebody
 * amended, then by `seq`, then the one that comes first.
 */
export function findSignedHeads(service: Identity, commits: readonly Commit[]): ReadonlyMap<string, SignedCommit> {
  const heads = new Map<string, SignedCommit>();
  for (const commit of commits) {
    const signed = parseSignedCommit(service, commit);
    if (signed === null || signed.trailers.reviewer !== null) continue;
    const known = heads.get(signed.trailers.proposal);
    if (known === undefined || rank(known) < rank(signed)) heads.set(signed.trailers.proposal, signed);
  }
  return heads;
}

function rank({ isOwn, trailers }: SignedCommit): number {
  return isOwn ? Number.MAX_SAFE_INTEGER / 2 + trailers.seq : trailers.seq;
}

function subjectOf(commit: Commit): string {
  return commit.message.split("\n", 1)[0] ?? "";
}
