/**
 * The git port: what the engine asks of a repository, in our words. Only adapters below this folder import
 * isomorphic-git. Ids are 40 lower-case hex digits; every promise rejects with a TeamMemoryError.
 */
import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

export type GitId = string;

export interface Identity {
  readonly name: string;
  readonly email: string;
}

export interface Commit {
  readonly id: GitId;
  readonly tree: GitId;
  readonly parents: readonly GitId[];
  readonly author: Identity & { readonly at: Date };
  readonly committer: Identity & { readonly at: Date };
  readonly message: string;
}

/**
 * One entry of a raw tree object, as it lies there: hostile names included. `name` is null where the bytes are not
 * UTF-8; `display` is the name escaped for people.
 */
export interface TreeEntry {
  readonly mode: string;
  readonly name: string | null;
  readonly display: string;
  readonly id: GitId;
}

/** Set or remove (`blob` null) one file by its path from the repository's root. */
export interface TreeChange {
  readonly path: string;
  readonly blob: GitId | null;
}

export interface CommitRequest {
  /** Parent commits; the first one's tree is what `changes` apply to. */
  readonly parents: readonly [GitId, ...GitId[]];
  readonly changes: readonly TreeChange[];
  readonly author: Identity;
  readonly committer: Identity;
  readonly at: Date;
  readonly message: string;
  /** One more line at the message's end, made of the commit as it would be read back without it. */
  readonly lastLine?: (commit: Omit<Commit, "id">) => string;
}

/** Move one reference from exactly `expectedOld` (null: must not exist) to `new` (null: delete). */
export interface RefUpdate {
  readonly ref: string;
  readonly expectedOld: GitId | null;
  readonly new: GitId | null;
}

/** `lost`: a reference was no longer at its expected value, nothing was moved; refresh, plan again, retry. */
export type PublishOutcome = { readonly kind: "published" } | { readonly kind: "lost"; readonly ref: string };

export interface GitPort {
  /** Id of a reference, or null. Loose before packed, as git reads it. */
  readRef(ref: string): Promise<GitId | null>;
  /** All references below a prefix such as `refs/heads/team-memory/`, by full name. */
  readRefs(prefix: string): Promise<ReadonlyMap<string, GitId>>;
  readCommit(id: GitId): Promise<Commit>;
  /** Raw entries of one tree object, bounded by `entriesMax` (`too_large` beyond it). */
  readTree(id: GitId, entriesMax: number): Promise<readonly TreeEntry[]>;
  /** Contents by id. Objects over `sizeBytesMax` come back as null: said, not served. */
  readBlobs(ids: readonly GitId[], sizeBytesMax: number): Promise<ReadonlyMap<GitId, Uint8Array | null>>;
  /** Write a blob object; its id. Nothing refers to it yet. */
  writeBlob(bytes: Uint8Array): Promise<GitId>;
  /** Write trees and a commit; no reference moves. */
  commitChanges(request: CommitRequest): Promise<GitId>;
  /** First commit of an empty history: a commit without parents over an empty tree plus `changes`. */
  commitRoot(request: Omit<CommitRequest, "parents">): Promise<GitId>;
  /** Compare-and-swap over all updates or none. */
  publish(updates: readonly RefUpdate[]): Promise<PublishOutcome>;
  /** Look again at what others may have written (packs, references); drops caches that may be stale. */
  refresh(): Promise<void>;
}

/** The outcome of one change of several, or why it was refused. */
export type EachOutcome = PublishOutcome | TeamMemoryError;

export interface HeldBase {
  /** The last good base, which is still served. */
  readonly from: GitId;
  /** Where the remote has its base now; null: the branch is gone. */
  readonly to: GitId | null;
}

/** What a repository can besides that follows a shared remote: a push is dear there, and others may rewrite the base. */
export interface SharedPort {
  /** Independent changes of one reference each, in one push; in their order what became of each. */
  publishEach(updates: readonly RefUpdate[]): Promise<readonly EachOutcome[]>;
  /** A base that waits for somebody's word; null: none. */
  heldBase(): HeldBase | null;
  /** Goes on from the base that is held. @throws TeamMemoryError base_held where another one, or none, is held by now */
  acceptBase(to: string): Promise<void>;
}

/** The embedded repository, or one that follows a shared remote. */
export type AnyPort = GitPort & Partial<SharedPort>;
