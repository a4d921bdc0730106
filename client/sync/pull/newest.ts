import { LIMITS } from "../../../shared/limits.ts";
import { readSmallFile } from "../../memory/read-small-file.ts";
import { asArray, asCount, asGitId, asObject, asText } from "../json-shape.ts";
import { writeWhole } from "../state/durable-file.ts";
import { statePath } from "../state/layout.ts";
import { parseFace, type Received } from "../state/pristine-record.ts";

/**
 * The faces that the index shows: the newest reviewed memories, twice as many as fit, and those of this machine. With them
 * one change among ten thousand makes a new index without reading the other records. A cache, of use for one tree only.
 */
export interface Newest {
  readonly tree: string;
  /** Reviewed memories that may be listed, those beyond the newest included. */
  readonly total: number;
  readonly reviewed: readonly ShownMemory[];
  /** On this machine only, and not yet reviewed. */
  readonly local: readonly ShownMemory[];
}

export type ShownMemory = Omit<Received, "blob" | "canonicalBlob" | "changedBy">;

const KEPT = LIMITS.indexLinesMax * 2;

export function buildNewest(tree: string, reviewed: readonly ShownMemory[], local: readonly ShownMemory[]): Newest {
  return { tree, total: reviewed.length, reviewed: sortNewest(reviewed).slice(0, KEPT), local };
}

export interface NewestChange {
  readonly tree: string;
  readonly total: number;
  readonly upserts: readonly ShownMemory[];
  readonly removals: readonly string[];
}

/** Null where so many were removed that others would move up which are not known here. */
export function updateNewest(newest: Newest, change: NewestChange): Newest | null {
  const touched = new Set([...change.removals, ...change.upserts.map(({ key }) => key)]);
  const isWhole = newest.reviewed.length === newest.total;
  const kept = newest.reviewed.filter(({ key }) => !touched.has(key));
  const oldest = isWhole ? undefined : kept.at(-1);
  // Older than all that is known: some that are not known may be newer.
  const known = change.upserts.filter((memory) => oldest === undefined || compareNewest(memory, oldest) < 0);
  const reviewed = sortNewest([...kept, ...known]).slice(0, KEPT);
  const isEnough = reviewed.length === change.total || reviewed.length > LIMITS.indexLinesMax;
  return isEnough ? { tree: change.tree, total: change.total, reviewed, local: newest.local } : null;
}

export function readNewest(stateFolder: string, tree: string): Newest | null {
  try {
    const newest = asObject(
      JSON.parse(readSmallFile(statePath(stateFolder, "newest"), LIMITS.clientStateSizeBytesMax) ?? ""),
    );
    if (asGitId(newest["tree"]) !== tree) return null;
    return {
      tree,
      total: asCount(newest["total"]),
      reviewed: asArray(newest["reviewed"], KEPT).map(parseShown),
      local: asArray(newest["local"], LIMITS.localFilesMax).map(parseShown),
    };
  } catch {
    return null;
  }
}

export function writeNewest(stateFolder: string, newest: Newest): void {
  writeWhole(statePath(stateFolder, "newest"), JSON.stringify(newest), { isDurable: false });
}

export function toShown({ key, name, description, type, changedAt }: ShownMemory): ShownMemory {
  return { key, name, description, type, changedAt };
}

function parseShown(json: unknown): ShownMemory {
  const shown = asObject(json);
  return toShown({ key: asText(shown["key"], LIMITS.keySizeBytesMax), ...parseFace({ changedBy: "", ...shown }) });
}

function sortNewest(memories: readonly ShownMemory[]): ShownMemory[] {
  return [...memories].sort(compareNewest);
}

/** The index's own order. */
function compareNewest(a: ShownMemory, b: ShownMemory): number {
  // One commit's memories, and there are many of those: a date is read only where it can decide.
  if (a.changedAt !== b.changedAt) {
    const [newer, older] = [Date.parse(b.changedAt) || 0, Date.parse(a.changedAt) || 0];
    if (newer !== older) return newer - older;
  }
  return a.key < b.key ? -1 : Number(a.key > b.key);
}
