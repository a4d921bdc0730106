import type { Pin } from "./pin.ts";

/** A folder below a team directory that was checked, to be entered without trusting its path again. */
export interface FolderTarget {
  readonly teamDir: string;
  readonly pin: Pin;
  /** From the team directory down; none for the team directory itself. */
  readonly folders: readonly string[];
  /** What errors name. */
  readonly key: string;
  /** Make folders that are missing (0700); otherwise a missing one gives no hold. */
  readonly isCreating: boolean;
}

/**
 * A folder that was reached without a link, and that no swap of its path changes for another. What is written into a
 * folder that somebody moves elsewhere meanwhile goes along with it.
 */
export interface Hold {
  /** Calls `act` with a prefix for names in this very folder; the prefix is good during the call alone. */
  readonly within: <Result>(act: (prefix: string) => Result) => Result;
  readonly release: () => void;
}
