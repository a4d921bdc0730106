/** What the index keeps of one commit on the base. Plain JSON: it is also a line of the index's file. */
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId } from "../../git/port.ts";

export interface CommitRecord {
  readonly id: GitId;
  /** First parent; null for the oldest one that is walked. */
  readonly parent: GitId | null;
  /** Commits that a merge brought in beside its first parent. */
  readonly brings: readonly GitId[];
  readonly projects: readonly ProjectRecord[];
  readonly merges: readonly MergeRecord[];
}

export interface ProjectRecord {
  readonly project: ProjectName;
  /** Tree id of its `team` folder; null: it is gone. */
  readonly tree: GitId | null;
  readonly changes: readonly KeyRecord[];
}

export interface KeyRecord {
  readonly key: MemoryKey;
  /** Null: removed. */
  readonly blob: GitId | null;
  /** Author's time in milliseconds, never later than when it was read. */
  readonly at: number;
  readonly by: string;
  /** The proposal that brought it, or null. */
  readonly proposal: string | null;
}

/**
 * A proposal's way into the base. `carried`: its own commits, by fast-forward or merge. `approved`: a commit of the
 * service. `squashed`: somebody's commit that repeats the proposal's trailers.
 */
export interface MergeRecord {
  readonly kind: "carried" | "approved" | "squashed";
  readonly proposal: string;
  readonly project: ProjectName;
  readonly person: string;
  readonly by: string;
  readonly title: string;
  readonly seq: number;
  /** True: only some keys; the proposal may live on. */
  readonly part: boolean;
  /** The branch's head that was approved, where the commit says so. */
  readonly head: GitId | null;
  readonly at: number;
  readonly keys: readonly MergedKey[];
  /** Keys that the proposal's own commit wanted and the merge left as they were. */
  readonly leftOut: readonly MergedKey[];
}

export interface MergedKey {
  readonly key: MemoryKey;
  readonly before: GitId | null;
  readonly after: GitId | null;
}
