/** Where an open proposal stands against the base: from what its branch says and what history says, nothing else. */
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { GitId } from "../../git/port.ts";
import type { HistoryIndex } from "../history/history-index.ts";
import type { KeyChange, OpenProposal } from "./proposal.ts";

export type KeyStanding =
  /** The base has not touched it since: it can be merged. */
  | "free"
  /** The base changed it in another way since. */
  | "conflict"
  /** It has stood on the base since the proposal began, or was approved and merged into what stands there. */
  | "stood";

export function judgeProposal(index: HistoryIndex, proposal: OpenProposal): ReadonlyMap<MemoryKey, KeyStanding> {
  const { project, fork, changes, approved } = proposal;
  const began = index.ordinal(fork) ?? 0;
  const judge = (key: MemoryKey, change: KeyChange) =>
    approved.has(key) ? "stood" : judgeKey(index, { project, key, change, began });
  return new Map([...changes].map(([key, change]) => [key, judge(key, change)]));
}

interface KeyQuestion {
  readonly project: string;
  readonly key: MemoryKey;
  readonly change: KeyChange;
  /** Position of the commit that the proposal builds on. */
  readonly began: number;
}

export function judgeKey(index: HistoryIndex, { project, key, change, began }: KeyQuestion): KeyStanding {
  const current = currentBlob(index, project, key);
  if (current === change.blob || hasStoodSince(index, { project, key, change, began })) return "stood";
  return current === change.base ? "free" : "conflict";
}

function hasStoodSince(index: HistoryIndex, { project, key, change, began }: KeyQuestion): boolean {
  const entry = index.entryOf(project, key, change.blob);
  return entry !== undefined && entry.ordinal > began;
}

/** The base's blob of a key, in quarantine or not. */
function currentBlob(index: HistoryIndex, project: string, key: string): GitId | null {
  return index.entries(project, key).at(-1)?.blob ?? null;
}

/** Whether the base has changed a key after a commit of its own. */
export function hasMovedSince(
  index: HistoryIndex,
  { project, key }: { project: string; key: string },
  fork: GitId,
): boolean {
  const began = index.chainOrdinal(fork);
  const last = index.entries(project, key).at(-1);
  return last !== undefined && (began === undefined || last.ordinal > began);
}
