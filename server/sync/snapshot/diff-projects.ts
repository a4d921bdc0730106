/**
 * Which projects differ between two commits' trees. The layout is `projects/<project>/team/…`; the first segment `team`
 * ends the project's name. One walk serves both callers: from nothing to a commit it lists all projects.
 */
import { LIMITS } from "../../../shared/limits.ts";
import { fromRemoteFolder, type ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId } from "../../git/port.ts";
import { type Folder, isFolder, type ReadFolder } from "./read-folder.ts";

export interface ProjectChange {
  readonly project: ProjectName;
  /** Tree id of its `team` folder on each side; null: none there. */
  readonly before: GitId | null;
  readonly after: GitId | null;
}

interface Pair {
  readonly path: string;
  readonly before: GitId | null;
  readonly after: GitId | null;
}

/** `before` and `after` are commits' tree ids; null is the empty tree. Folders whose name is no project are passed over. */
export async function diffProjects(
  readFolder: ReadFolder,
  before: GitId | null,
  after: GitId | null,
): Promise<readonly ProjectChange[]> {
  const found: ProjectChange[] = [];
  if (before === after) return found;
  const root = { before: await openRoot(readFolder, before), after: await openRoot(readFolder, after) };
  const waiting: Pair[] = [{ path: "projects", ...root }];
  let entriesLeft = 2 * LIMITS.treeEntriesMax;
  // Grows while it is walked.
  for (const pair of waiting) {
    const [one, other] = [
      await open(readFolder, pair.before, entriesLeft),
      await open(readFolder, pair.after, entriesLeft),
    ];
    entriesLeft -= (one?.entries ?? 0) + (other?.entries ?? 0);
    if (entriesLeft < 0 || found.length >= LIMITS.projectsMax) break;
    for (const below of findChangedFolders(pair, one, other)) {
      const project = fromRemoteFolder(below.path);
      if (project !== null) found.push({ project, before: below.before, after: below.after });
      else if (mayHoldProjects(below.path)) waiting.push(below);
    }
  }
  return found;
}

/** The tree of `projects/` in a commit's tree. */
async function openRoot(readFolder: ReadFolder, root: GitId | null): Promise<GitId | null> {
  return toFolderId(await open(readFolder, root, LIMITS.treeEntriesMax), "projects");
}

async function open(readFolder: ReadFolder, id: GitId | null, entriesMax: number): Promise<Folder | null> {
  return id === null ? null : readFolder(id, entriesMax);
}

function findChangedFolders(pair: Pair, before: Folder | null, after: Folder | null): Pair[] {
  const names = new Set([...(before?.named.keys() ?? []), ...(after?.named.keys() ?? [])]);
  return [...names].flatMap((name) => {
    const ids = { before: toFolderId(before, name), after: toFolderId(after, name) };
    return ids.before === ids.after ? [] : [{ path: `${pair.path}/${name}`, ...ids }];
  });
}

function toFolderId(folder: Folder | null, name: string): GitId | null {
  const entry = folder?.named.get(name);
  return entry !== undefined && isFolder(entry) ? entry.id : null;
}

/** `team` ends a project's name, also where that is no name. */
function mayHoldProjects(path: string): boolean {
  return !path.endsWith("/team") && path.split("/").length <= LIMITS.projectSegmentsMax + 1;
}
