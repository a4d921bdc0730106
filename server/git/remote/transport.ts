/** What a remote can do for the mirror, whatever it is reached by. Names of references are the remote's own. */
import type { GitId, RefUpdate } from "../port.ts";

export type RemoteRefs = ReadonlyMap<string, GitId>;

/** What has to come, and what is here already. */
export interface FetchRequest {
  readonly wants: RemoteRefs;
  readonly haves: readonly GitId[];
}

/** Said by the remote of a push that it took: by reference, why not. Empty: all moved. */
export interface PushReport {
  readonly refusals: ReadonlyMap<string, string>;
  /** What hooks printed, raw. */
  readonly said: string;
}

export interface Transport {
  /** Branches and our own references. @throws TeamMemoryError remote_unreachable, remote_denied, too_large */
  listRefs(): Promise<RemoteRefs>;
  /** Puts what `wants` lead to into the mirror's objects, all or nothing; no reference moves. */
  fetch(request: FetchRequest): Promise<void>;
  /** Whether the remote moves several references of one push together or not at all. */
  isAtomic(): Promise<boolean>;
  /**
   * One push of all updates, each from exactly its expected id: together or not at all where the remote can and
   * `isAtomic` says so, else each on its own.
   * @throws TeamMemoryError remote_unreachable where it is not known what became of it, remote_denied
   */
  push(updates: readonly RefUpdate[], options: { readonly isAtomic: boolean }): Promise<PushReport>;
}

/** Below these lies all that the mirror keeps; branches of people are seen, so that a remote in use is no empty one. */
export const LISTED_PREFIXES: readonly string[] = ["refs/heads/", "refs/team-memory/"];
