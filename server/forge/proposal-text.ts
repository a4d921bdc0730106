/** What a pull request is made of: an open proposal by the faces of its memories, never by what they say. */
import type { Face } from "../../shared/memory/parse-memory.ts";
import type { ProposalDetail } from "../../shared/protocol/schemas.ts";
import type { GitId } from "../git/port.ts";

export interface OpenSummary {
  readonly id: string;
  readonly head: GitId;
  readonly createdAt: Date;
  /** Keys that the base has changed in another way. */
  readonly conflicts: readonly string[];
}

export interface ProposalText extends OpenSummary {
  readonly project: string;
  readonly by: string;
  readonly title: string;
  readonly changes: readonly TextChange[];
  readonly checks: ProposalDetail["checks"];
  /** Memories of the base that say they are about the same. */
  readonly alike: readonly Alike[];
}

export interface TextChange {
  readonly key: string;
  readonly kind: "added" | "changed" | "removed";
  /** As proposed, or of what is removed; null: it is no text. */
  readonly face: Face | null;
  /** Since when the base has had what is replaced; null: nothing is. */
  readonly since: Date | null;
}

export interface Alike {
  readonly key: string;
  readonly other: string;
  readonly by: "name" | "description";
}
