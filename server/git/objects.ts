import type { GitId } from "./port.ts";

export type ObjectType = "blob" | "tree" | "commit" | "tag";

export interface GitObject {
  readonly type: ObjectType;
  readonly content: Buffer;
}

/** Objects by id: immutable, so that a reader never waits for a writer. */
export interface ObjectStore {
  /**
   * One object, or null where there is none. Throws `too_large` past `sizeBytesMax` and `repository_damaged` where the
   * bytes are not the object that the id names.
   */
  read(id: GitId, sizeBytesMax: number): Promise<GitObject | null>;
  /** As the port's `readBlobs`. */
  readBlobs(ids: readonly GitId[], sizeBytesMax: number): Promise<ReadonlyMap<GitId, Uint8Array | null>>;
  /** Its id; the object is on disk when the promise resolves. One that exists is left alone. */
  write(type: ObjectType, content: Uint8Array): Promise<GitId>;
  /** Look again at which packs there are. */
  refresh(): Promise<void>;
}
