import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { GitId } from "../../git/port.ts";

/** Two changes of one key, by the ids of their texts. */
export interface ConflictingKey {
  readonly key: string;
  /** What the change was made from. */
  readonly baseBlob: GitId | null;
  /** What stands there now: on the base, or on the branch where a person has committed to it. */
  readonly current: GitId | null;
  readonly wanted: GitId | null;
}

/** 409 with the conflicting texts' ids; never the texts. */
export function toConflict(keys: readonly ConflictingKey[]): TeamMemoryError {
  const message = `Could not merge ${keys.length === 1 ? "a change" : `${keys.length} changes`}: the same memory was changed meanwhile`;
  return new TeamMemoryError("conflict", message, { details: { keys } });
}
