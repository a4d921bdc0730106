import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId } from "../../git/port.ts";

export interface OutcomeChange {
  readonly key: MemoryKey;
  readonly base: GitId | null;
  readonly blob: GitId | null;
  readonly state: "merged" | "rejected";
}

/** What became of a proposal. `open`: only some keys were rejected, the proposal lives on. */
export interface Outcome {
  readonly id: string;
  readonly project: ProjectName;
  readonly person: string;
  readonly by: string;
  readonly title: string;
  readonly state: "open" | "merged" | "closed" | "withdrawn";
  readonly seq: number;
  readonly reason: string | null;
  /** The branch's head that this was said of: a branch that stands elsewhere has been pushed since. Null: a merge. */
  readonly head: GitId | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly changes: readonly OutcomeChange[];
}
