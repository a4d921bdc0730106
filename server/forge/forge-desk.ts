/** What the engine asks of a forge, and what it tells it: the one seam between the two. */
import type { GitId } from "../git/port.ts";
import type { OpenSummary, ProposalText } from "./proposal-text.ts";

/** What the forge says of a proposal's pull request. */
export interface Verdict {
  readonly state: "open" | "merged" | "closed";
  readonly mergeCommit: GitId | null;
  /** A reviewer's last words; null: none, or it is not closed. */
  readonly reason: string | null;
}

export interface ForgeDesk {
  /**
   * By proposal id; those without a pull request are left out. Of the open proposals what is known, without a request; of
   * those whose branch is `gone` what the forge says now. Null: it does not say, or not in time.
   */
  verdicts(open: readonly Dated[], gone: readonly Dated[]): Promise<ReadonlyMap<string, Verdict> | null>;
  /** Where people review it; null: it has no pull request yet. */
  urlOf(id: string): string | null;
  /** The same, waited for a little. */
  awaitUrl(id: string): Promise<string | null>;
  /** @throws TeamMemoryError as the forge refuses it; unavailable: it has no pull request yet */
  merge(id: string, merge: DeskMerge): Promise<void>;
  /** The remote was looked at: what follows from that is done soon. */
  looked(): void;
  /** Something may have changed at the forge. */
  wake(): void;
  /** From now on pull requests are kept, for what this engine has open. */
  start(engine: DeskEngine): void;
  stop(): Promise<void>;
}

export type Dated = Pick<OpenSummary, "id" | "createdAt">;

export interface DeskMerge {
  readonly head: GitId;
  readonly title: string;
  readonly message: string;
  readonly squash: boolean;
}

/** What a desk needs of the engine. */
export interface DeskEngine {
  listOpen(): readonly OpenSummary[];
  /** Null: open no longer. */
  describe(id: string): Promise<ProposalText | null>;
  /** Null: nothing is known of it, or it is open. */
  endOf(id: string): "merged" | "closed" | "withdrawn" | null;
  refresh(): Promise<void>;
}
