import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { escapeForDisplay } from "../../../shared/path/escape-for-display.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { GitId } from "../../git/port.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { findNewCollisions } from "./key-places.ts";
import type { KeyFailure } from "./parse-request.ts";

interface KeyedBlob {
  readonly key: MemoryKey;
  readonly blob: GitId | null;
}

/** What a set would break in the project as a whole: keys that cannot lie side by side, too many memories. */
export function findSetFailures(
  snapshot: Snapshot,
  { changes }: { readonly changes: readonly KeyedBlob[] },
): readonly KeyFailure[] {
  const added = changes.filter(({ key, blob }) => blob !== null && !snapshot.files.has(key)).map(({ key }) => key);
  const removed = changes.filter(({ key, blob }) => blob === null && snapshot.files.has(key)).map(({ key }) => key);
  const collisions = findNewCollisions(snapshot, added, new Set(removed)).map(({ key, other, rule }) => {
    const message = `Cannot add ${escapeForDisplay(key)} beside ${escapeForDisplay(other)}: on some disks they are one`;
    return { key, code: "key_collision", message, rule } as const;
  });
  const room = LIMITS.memoriesPerProjectMax - snapshot.files.size + removed.length;
  return [...collisions, ...added.slice(Math.max(0, room)).map(toTooMany)];
}

function toTooMany(key: string): KeyFailure {
  const message = `Cannot add another memory: the project holds ${LIMITS.memoriesPerProjectMax}`;
  return { key, code: "too_many_memories", message };
}

/** @throws TeamMemoryError unprocessable_proposal, `details.keys` listing every failing key once or more */
export function assertNoFailures(failures: readonly KeyFailure[]): void {
  if (failures.length === 0) return;
  const keys = new Set(failures.map(({ key }) => key)).size;
  const message = `Could not propose ${keys === 1 ? "a memory" : `${keys} memories`}: see details.keys`;
  throw new TeamMemoryError("unprocessable_proposal", message, { details: { keys: failures } });
}
