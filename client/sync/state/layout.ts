import { join } from "node:path";

/**
 * The state folder of one memory directory. It lies outside of that directory, so that nobody's scanner takes its texts for
 * memories.
 *
 * - `head`: the root; replaced last, and with it a pull counts
 * - `pristine`: packs of what was received; `attic`: texts that were replaced
 * - `marks`, `outbox`: what is remembered of single keys, and what was sent
 * - `journal`: there only while files are put in place; `lock`: while a run is under way
 * - `checked`: empty; its time is when the service was last heard; `failure`: how the last check failed
 * - `pruned`: empty; its time is when the attic was last looked through
 * - `*.cache`: made again where they are missing
 */
const NAMES = {
  head: "head.json",
  marks: "marks.json",
  outbox: "outbox.json",
  journal: "journal.json",
  lock: "lock",
  checked: "checked",
  failure: "failure.json",
  attic: "attic",
  pruned: "pruned",
  pristine: "pristine",
  tree: "tree.cache",
  newest: "newest.cache",
  index: "index.cache",
  stats: "stats.cache",
  turn: "turn.cache",
} as const;

export function statePath(stateFolder: string, name: keyof typeof NAMES): string {
  return join(stateFolder, NAMES[name]);
}
