import type { Obstacle } from "../sync/state/marks.ts";

/** Why a key is not in place, as the middle of a sentence. */
export const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  folded: "a local file has the same name on some disks",
  not_a_file: "something that is no plain file lies there",
  unreadable: "what lies there cannot be read",
  too_large: "a file far too large to be a memory lies there",
  written_meanwhile: "somebody keeps writing to it",
  removal_held: "so many removals at once wait for: team-memory pull --accept-removals",
};
