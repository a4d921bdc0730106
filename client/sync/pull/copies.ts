import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { toCanonical } from "../../../shared/memory/to-canonical.ts";
import { findKeyCollisions } from "../../../shared/path/key-set.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import type { Head } from "../state/head.ts";
import { type Arrival, type Pristine, type PristineText, readPristine, readText } from "../state/pristine.ts";
import { type Gone, isGone } from "../state/pristine-record.ts";
import { collided, type PullResponse } from "./parse-pull-response.ts";
import { buildServedTree, idOfServedTree, type ServedTree } from "./served-tree.ts";
import { toArrivals } from "./to-arrivals.ts";

/** The pristine copies before and after an answer. */
export interface Copies {
  readonly before: Pristine;
  readonly after: Pristine;
  readonly arrivals: readonly Arrival[];
  readonly tree: ServedTree;
}

/**
 * @throws TeamMemoryError `state_damaged` where the copies on disk are not those of the head, `bad_response` where what
 * came does not make the tree that it should
 * @throws PathTraversalError for two keys that cannot lie side by side
 */
export function receiveCopies(stateFolder: string, head: Head, response: PullResponse | null): Copies {
  const before = readPristine(stateFolder, head.packs);
  if (before === null) throw damaged(stateFolder);
  if (response === null) return { before, after: before, arrivals: [], tree: treeOf(before) };
  const arrivals = toArrivals(response);
  const after = merge(response.full ? new Map() : before, arrivals);
  // Of an answer that is everything, the parser has looked at all keys.
  const [collision] = response.full ? [] : findKeyCollisions([...after.keys()]);
  if (collision !== undefined) throw collided(collision);
  const tree = treeOf(after);
  if (idOfServedTree(tree) === response.tree) return { before, after, arrivals, tree };
  throw new TeamMemoryError("bad_response", "The texts of the answer do not add up to its tree");
}

/** The canonical text that the service now serves for a key. Checked against its id wherever it comes from. */
export function toRemoteText(stateFolder: string, { arrivals, after }: Copies): (key: MemoryKey) => string {
  const arrived = new Map(arrivals.map((arrival) => [arrival.key, arrival]));
  return (key) => {
    const arrival = arrived.get(key);
    if (arrival !== undefined && !isGone(arrival)) return toCanonicalText(arrival);
    return toCanonical(readChecked(stateFolder, after.get(key)));
  };
}

function toCanonicalText({ text, blob, canonicalBlob }: Exclude<Arrival, Gone>): string {
  return blob === canonicalBlob ? text : toCanonical(text);
}

/** @throws TeamMemoryError `state_damaged` */
export function readChecked(stateFolder: string, copy: PristineText | undefined): string {
  const text = copy === undefined ? null : readText(stateFolder, copy);
  if (text === null || blobIdOf(text) !== copy?.blob) throw damaged(stateFolder);
  return text;
}

function merge(held: Pristine, arrivals: readonly Arrival[]): Pristine {
  const merged = new Map(held);
  for (const arrival of arrivals) {
    if (isGone(arrival)) merged.delete(arrival.key);
    else merged.set(arrival.key, { ...arrival, place: UNWRITTEN });
  }
  return merged;
}

/** Until its pack is written. */
const UNWRITTEN: PristineText["place"] = { pack: { name: "", recordsSizeBytes: 0 }, offsetBytes: 0, sizeBytes: 0 };

function treeOf(pristine: Pristine): ServedTree {
  return buildServedTree([...pristine.values()]);
}

function damaged(stateFolder: string): TeamMemoryError {
  return new TeamMemoryError("state_damaged", `The pristine copies are damaged: ${stateFolder}`);
}
