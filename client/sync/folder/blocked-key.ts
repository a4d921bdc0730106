import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { PathTraversalError } from "../../../shared/path/path-traversal-error.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { Obstacle } from "../state/marks.ts";
import type { LocalFact } from "./local-fact.ts";
import { type LocalText, readLocal } from "./read-local.ts";

/** Why a key is not in place, as the middle of a sentence. */
export const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  folded: "a local file has the same name on some disks",
  not_a_file: "something that is no plain file lies there",
  unreadable: "what lies there cannot be read",
  too_large: "a file far too large to be a memory lies there",
  written_meanwhile: "somebody keeps writing to it",
  removal_held: "so many removals at once wait for: team-memory pull --accept-removals",
};

/** What lies there is not ours to move. */
export function blockedKey(key: string, local: LocalFact): TeamMemoryError {
  const because = local.kind === "blocked" ? local.because : "written_meanwhile";
  const usage = `Look at what lies at team/${key}, and move it away`;
  return new TeamMemoryError("disk", `Nothing was done, for ${OBSTACLES[because]}: ${key}`, {
    details: { key, usage },
  });
}

/** What a person means by a key, where it is a file or nothing. @throws PathTraversalError for a link; `disk` for the rest */
export function readUnblocked(teamDir: string, key: MemoryKey): Exclude<LocalText, { readonly kind: "blocked" }> {
  try {
    const local = readLocal(teamDir, key);
    if (local.kind === "blocked") throw blockedKey(key, local);
    return local;
  } catch (error) {
    if (!(error instanceof PathTraversalError)) throw error;
    throw new PathTraversalError({ rule: error.rule, key, reason: "is a link, or lies behind one", cause: error });
  }
}
