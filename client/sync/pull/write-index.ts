import { LIMITS } from "../../../shared/limits.ts";
import { type BuiltIndex, buildIndex, type IndexedMemory } from "../../../shared/memory/build-index.ts";
import type { HeldFolder } from "../../../shared/path/held-folder.ts";
import { openTeamRoot } from "../../../shared/path/write-in-team.ts";
import { toFileSight } from "../folder/folder-sight.ts";
import { readHeld } from "../folder/read-local.ts";
import type { Attic } from "../state/attic.ts";
import type { FileSight } from "../state/head.ts";
import { readCachedIndex, writeCachedIndex } from "../state/index-cache.ts";
import type { Newest, ShownMemory } from "./newest.ts";

/**
 * `team/MEMORY.md`, always derived, never synced. What it holds beside ours was written by somebody: pointer lines say
 * what the index says anyway and go, other prose goes to the attic. A copy in the state is what sessions are told, so
 * that nothing under team/ has to be trusted for that.
 */
export interface WrittenIndex extends BuiltIndex {
  /** Why team/MEMORY.md itself could not be written; null: it was, or was right already. */
  readonly obstacle: string | null;
  /** Where the attic has what somebody wrote into it. */
  readonly parked: string | null;
  readonly isNew: boolean;
  /** As it was written, or read and found right; null where somebody wrote there in that very moment, or it is no file. */
  readonly sight: FileSight | null;
}

export const INDEX_NAME = "MEMORY.md";

export function writeIndex(
  place: { teamDir: string; stateFolder: string; attic: Attic },
  newest: Newest,
): WrittenIndex {
  const built = toIndex(newest);
  const before = readCachedIndex(place.stateFolder);
  if (built.text !== before?.text) writeCachedIndex(place.stateFolder, built);
  const folder = openTeamRoot(place.teamDir);
  try {
    return { ...built, ...replace(folder, { text: built.text, before: before?.text ?? "", attic: place.attic }) };
  } finally {
    folder.close();
  }
}

function toIndex({ reviewed, local, total }: Newest): BuiltIndex {
  const memories = [...reviewed.slice(0, LIMITS.indexLinesMax).map(as("reviewed")), ...local.map(as("local"))];
  const older = total - Math.min(reviewed.length, LIMITS.indexLinesMax);
  return buildIndex(memories, { olderLeftOut: older });
}

function as(state: IndexedMemory["state"]) {
  return (memory: ShownMemory): IndexedMemory => ({ ...memory, state });
}

interface Replacement {
  readonly text: string;
  readonly before: string;
  readonly attic: Attic;
}

function replace(folder: HeldFolder, { text, before, attic }: Replacement) {
  const there = folder.stat(INDEX_NAME);
  if (there !== null && !there.isFile()) {
    const obstacle = there.isSymbolicLink() ? "a link" : "no plain file";
    return { ...NOTHING_DONE, obstacle, sight: toFileSight(there) };
  }
  const local = readHeld(folder, INDEX_NAME);
  // Looked at before it was read: whatever is written since then is another one.
  const sight = there === null ? null : toFileSight(there);
  if (local.kind === "blocked") return { ...NOTHING_DONE, obstacle: local.because, sight };
  const old = local.bytes === null ? null : Buffer.from(local.bytes);
  if (old?.toString("utf8") === text) return { ...NOTHING_DONE, sight };
  const parked = old !== null && hasProse(old.toString("utf8"), before) ? attic.put(INDEX_NAME, old, "index") : null;
  attic.flush();
  const temp = folder.createTemp(Buffer.from(text));
  const written = folder.stat(temp);
  const aside = folder.moveAside(INDEX_NAME);
  const isPlaced = folder.linkIn(temp, INDEX_NAME);
  if (!isPlaced) folder.remove(temp);
  const late = aside === null ? null : dropAside(folder, aside, { old, parked, attic });
  const placed = isPlaced && written !== null ? toFileSight(written) : null;
  return { obstacle: null, parked: late ?? parked, isNew: old === null, sight: placed };
}

const NOTHING_DONE = { obstacle: null, parked: null, isNew: false, sight: null };

interface Seen {
  readonly old: Buffer | null;
  readonly parked: string | null;
  readonly attic: Attic;
}

/** Written since it was read, or emptied to be written: the file itself goes to the attic, as a memory's does. */
function dropAside(folder: HeldFolder, name: string, { old, parked, attic }: Seen): string | null {
  const local = readHeld(folder, name);
  if (local.kind === "blocked" || local.bytes === null) return null;
  const isAsRead = old?.equals(local.bytes) === true;
  if (isAsRead && parked === null && local.bytes.length > 0) {
    folder.remove(name);
    return null;
  }
  const at = isAsRead && parked !== null ? { copy: parked } : ({ why: "index" } as const);
  const path = attic.take({ folder, name, key: INDEX_NAME, bytes: local.bytes }, at);
  attic.flush();
  return local.bytes.length > 0 ? path : null;
}

/** Lines that neither our last index nor a pointer to a memory accounts for. */
function hasProse(text: string, ours: string): boolean {
  const known = new Set(ours.split("\n").map((line) => line.trim()));
  return text.split(/\r?\n/).some((line) => {
    const words = line.trim();
    return words !== "" && !known.has(words) && !POINTER.test(words);
  });
}

const POINTER = /^[-*+] \[[^\]]*\]\([^)]*\)/;
