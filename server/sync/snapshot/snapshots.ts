/** Snapshots by project and tree: the newest of each project, and older ones that clients still pull from. */
import { LIMITS } from "../../../shared/limits.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId } from "../../git/port.ts";
import type { History } from "../history/history.ts";
import type { BlobTexts } from "./blob-texts.ts";
import { buildBoundedMap } from "./bounded-map.ts";
import type { ReadFolder } from "./read-folder.ts";
import { buildSnapshot, emptySnapshot, type Snapshot } from "./snapshot.ts";

export interface Snapshots {
  /** The project at this tree of the base; null: it has no folder. */
  newest(project: ProjectName, rawTree: GitId | null): Promise<Snapshot>;
  /** Whether a request for the project is answered from memory. */
  isLoaded(project: ProjectName): boolean;
  /** The project as it was served under this tree id; null where this project never was. */
  asServed(project: ProjectName, tree: GitId): Promise<Snapshot | null>;
}

interface SnapshotsOptions {
  readonly readFolder: ReadFolder;
  readonly texts: BlobTexts;
  readonly history: History;
}

export function buildSnapshots({ readFolder, texts, history }: SnapshotsOptions): Snapshots {
  const newest = buildKept<ProjectName>(LIMITS.projectsMax);
  const older = buildKept<string>(LIMITS.snapshotsInMemoryMax);
  const building = new Map<string, Promise<Snapshot>>();
  const context = {
    readFolder,
    texts,
    age: (project: string, key: string) => history.index().age(project, key),
  };

  const build = (project: ProjectName, rawTree: GitId | null): Promise<Snapshot> => {
    const name = `${project} ${rawTree}`;
    const previous = newest.get(project) ?? emptySnapshot(project);
    const started = building.get(name) ?? buildSnapshot(context, { project, rawTree, previous });
    building.set(name, started);
    return started.finally(() => building.delete(name));
  };

  return {
    isLoaded: (project) => newest.get(project) !== undefined,
    newest: async (project, rawTree) => {
      const known = newest.get(project);
      if (known?.rawTree === rawTree) return known;
      const snapshot = await build(project, rawTree);
      if (known !== undefined) older.set(`${project} ${known.tree}`, known);
      newest.set(project, snapshot);
      const { tree } = snapshot;
      if (rawTree !== null && rawTree !== tree) await history.noteServed(project, rawTree, tree);
      return snapshot;
    },
    asServed: async (project, tree) => {
      const known = older.get(`${project} ${tree}`);
      if (known !== undefined) return known;
      const rawTree = history.index().rawTree(project, tree);
      if (rawTree === null) return null;
      const snapshot = await build(project, rawTree);
      // Attack: the raw id of a tree with quarantined files is known to whoever can read git, and was never served.
      if (snapshot.tree !== tree) return null;
      older.set(`${project} ${tree}`, snapshot);
      return snapshot;
    },
  };
}

function buildKept<K>(countMax: number) {
  return buildBoundedMap<K, Snapshot>({
    countMax,
    weightMax: LIMITS.snapshotFilesInMemoryMax,
    weigh: ({ blobs }) => blobs.size + 1,
  });
}
