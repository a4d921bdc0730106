/** A proposal as its branch and what was said of it make it. */
export interface ProposalModel {
  readonly owner: number;
  readonly seq: number;
  /** The set that was sent, to tell the same again from another. */
  readonly content: string;
  state: "open" | "merged" | "closed" | "withdrawn";
  /** The base's revision that it began on. */
  began: number;
  /** What it would change. */
  readonly changes: Map<string, Change>;
  /** What its client last sent, where that differs from what a person made of it. */
  readonly sent: ReadonlyMap<string, Change>;
  /** What people committed to the branch, by key. */
  readonly human: Map<string, string | null>;
  /** Keys that a reviewer said no to while it stays open. */
  readonly rejected: Map<string, { readonly blob: string | null }>;
  reason: string | null;
  /** Keys that were left out when it ended. */
  leftOut: Set<string>;
}

export interface Change {
  readonly base: string | null;
  readonly blob: string | null;
}
