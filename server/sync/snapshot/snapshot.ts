/**
 * One project at one tree: the files that clients get, each with its face, and those that they do not get. Built from the
 * snapshot before it, so that only what changed is read and judged.
 */
import { escapeForDisplay } from "../../../shared/path/escape-for-display.ts";
import { findKeyCollisions } from "../../../shared/path/key-set.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import { treeIdOf } from "../../../shared/sync/git-ids.ts";
import type { GitId } from "../../git/port.ts";
import type { BlobTexts } from "./blob-texts.ts";
import type { QuarantinedFile } from "./quarantine.ts";
import type { ReadFolder } from "./read-folder.ts";
import { readProjectTree } from "./read-project-tree.ts";
import { readServedFiles, type ServedFile } from "./read-served-files.ts";

export interface Snapshot {
  readonly project: ProjectName;
  /** The `team` folder as it lies in git; null: the project has none. */
  readonly rawTree: GitId | null;
  /** The tree id over the files as served. */
  readonly tree: GitId;
  readonly files: ReadonlyMap<MemoryKey, ServedFile>;
  /** Every plain file with a good key, served or not: what a change to that key would replace. */
  readonly blobs: ReadonlyMap<MemoryKey, GitId>;
  readonly quarantined: readonly QuarantinedFile[];
}

export interface SnapshotContext {
  readonly readFolder: ReadFolder;
  readonly texts: BlobTexts;
  /** Position in history since which a key has stood: of keys that collide the oldest is served. */
  readonly age: (project: string, key: string) => number;
}

export interface SnapshotRequest {
  readonly project: ProjectName;
  readonly rawTree: GitId | null;
  /** Whose files are taken over where key and blob are the same. */
  readonly previous: Snapshot;
}

export async function buildSnapshot(context: SnapshotContext, request: SnapshotRequest): Promise<Snapshot> {
  const { project, rawTree, previous } = request;
  if (rawTree === null) return emptySnapshot(project);
  const tree = await readProjectTree(context.readFolder, rawTree, previous.blobs);
  const ordered = sortByAge([...tree.files], (key) => context.age(project, key));
  const read = await readServedFiles(context.texts, ordered, previous.files);
  const collisions = findCollisions(read.files, previous.files);
  const files = new Map([...read.files].filter(([key]) => !collisions.has(key)));
  return {
    project,
    rawTree,
    tree: treeIdOf([...files.values()]),
    files,
    blobs: tree.files,
    quarantined: [...tree.quarantined, ...read.quarantined, ...collisions.values()],
  };
}

export function emptySnapshot(project: ProjectName): Snapshot {
  return { project, rawTree: null, tree: treeIdOf([]), files: new Map(), blobs: new Map(), quarantined: [] };
}

type File = readonly [MemoryKey, GitId];

/** Oldest first; of one age by code units, the same on every machine. */
function sortByAge(files: readonly File[], age: (key: MemoryKey) => number): File[] {
  const aged = files.map((file) => ({ file, age: age(file[0]) }));
  aged.sort((one, other) => one.age - other.age || (one.file[0] < other.file[0] ? -1 : 1));
  return aged.map(({ file }) => file);
}

/** The younger ones of keys that cannot lie side by side on every disk. Served keys never do: the same ones need no look. */
function findCollisions(
  files: ReadonlyMap<MemoryKey, ServedFile>,
  served: ReadonlyMap<MemoryKey, ServedFile>,
): ReadonlyMap<string, QuarantinedFile> {
  const keys = [...files.keys()];
  if (keys.every((key) => served.has(key))) return new Map();
  return new Map(
    findKeyCollisions(keys).map(({ key, other, rule }) => {
      const reason = `cannot lie beside ${escapeForDisplay(other)} on every disk`;
      return [key, { path: escapeForDisplay(key), rule, reason }] as const;
    }),
  );
}
