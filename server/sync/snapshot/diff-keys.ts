import { isMemoryKey, type MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId, TreeEntry } from "../../git/port.ts";
import { diffFolders } from "./diff-folders.ts";
import { diffProjects } from "./diff-projects.ts";
import { isPlainFile, type ReadFolder } from "./read-folder.ts";

/** One key's blob on both sides; null: no plain file there. */
export interface KeyDiff {
  readonly key: MemoryKey;
  readonly before: GitId | null;
  readonly after: GitId | null;
}

export interface ProjectDiff {
  readonly project: ProjectName;
  /** Tree id of its `team` folder afterwards; null: it is gone. */
  readonly tree: GitId | null;
  readonly keys: readonly KeyDiff[];
}

/** The memories that differ between two commits' trees. Names that no memory may have are left out. */
export async function diffKeys(
  readFolder: ReadFolder,
  before: GitId | null,
  after: GitId | null,
): Promise<readonly ProjectDiff[]> {
  const diffs: ProjectDiff[] = [];
  for (const change of await diffProjects(readFolder, before, after)) {
    const { changes } = await diffFolders(readFolder, change.before, change.after);
    const keys = changes.flatMap(({ path, ...sides }) => {
      const ids = { before: toBlob(sides.before), after: toBlob(sides.after) };
      return ids.before !== ids.after && isMemoryKey(path) ? [{ key: path, ...ids }] : [];
    });
    diffs.push({ project: change.project, tree: change.after, keys });
  }
  return diffs;
}

/** What a memory's key points at: a link or a submodule there is no memory. */
export function toBlob(entry: TreeEntry | null): GitId | null {
  return entry !== null && isPlainFile(entry) ? entry.id : null;
}
