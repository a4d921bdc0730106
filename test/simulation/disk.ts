/**
 * What one machine keeps: files under team/ by blob, the attic, and the client's state as its files hold it. A kill leaves
 * exactly this behind.
 */

import type { Head } from "../../client/sync/state/head.ts";
import type { Marks } from "../../client/sync/state/marks.ts";
import type { Outbox } from "../../client/sync/state/outbox.ts";
import { emptyHead } from "../../client/sync/state/state.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";

export interface Disk {
  readonly files: Map<MemoryKey, string>;
  /** By key, oldest first. Only ever grows. */
  readonly attic: Map<string, string[]>;
  pulled: Pulled | null;
  marks: Marks;
  outbox: Outbox;
  journal: Journal | null;
}

/** What counts as one: the head, and the copies that it names. */
export interface Pulled {
  readonly head: Head;
  readonly pristine: ReadonlyMap<string, string>;
  /** The names under team/ as they were left; null: not known. */
  readonly names: ReadonlySet<string> | null;
}

export interface Journal {
  readonly moves: readonly Move[];
  /** Staged files that are not yet in place. */
  readonly staged: Set<string>;
  readonly next: { readonly pulled: Pulled; readonly marks: Marks; readonly outbox: Outbox };
}

export interface Move {
  readonly key: MemoryKey;
  /** Null: the key is removed. */
  readonly blob: string | null;
  readonly displaced: string | null;
  readonly base: string | null;
}

export function emptyDisk(): Disk {
  return { files: new Map(), attic: new Map(), ...emptyState() };
}

/** As after the state folder was lost. The attic lay in it. */
function emptyState() {
  return { pulled: null, marks: new Map(), outbox: { open: null, forbidden: null }, journal: null };
}

export const NEVER_PULLED: Pulled = {
  head: emptyHead({ server: "https://memory.example.org", project: "example.org/team/project" }),
  pristine: new Map(),
  names: null,
};

export function keepInAttic(disk: Disk, key: string, blob: string): void {
  const kept = disk.attic.get(key);
  if (kept === undefined) disk.attic.set(key, [blob]);
  else if (!kept.includes(blob) || kept.at(-1) !== blob) kept.push(blob);
}

/** A copy that later writes leave alone: what a backup holds. */
export function copyDisk(disk: Disk): Disk {
  const attic = new Map([...disk.attic].map(([key, blobs]) => [key, [...blobs]]));
  const journal = disk.journal === null ? null : { ...disk.journal, staged: new Set(disk.journal.staged) };
  return { ...disk, files: new Map(disk.files), attic, journal };
}
