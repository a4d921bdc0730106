import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { isEntryName } from "./entry-name.ts";
import type { GitId, TreeChange } from "./port.ts";

/** What shall be at one name of a folder: a file set or removed, changes below it, or both (a file becomes a folder). */
export interface ChangeNode {
  /** Undefined: the file of this name is left alone. */
  blob?: GitId | null;
  readonly below: Map<string, ChangeNode>;
}

/**
 * Changes by path as a tree of changes by name, so that each folder is read and written once. Throws `path_traversal` for
 * a name that git refuses, RangeError for a path named twice.
 */
export function planTreeChanges(changes: readonly TreeChange[]): ChangeNode {
  const root: ChangeNode = { below: new Map() };
  for (const { path, blob } of changes) {
    const node = nodeAt(root, path.split("/"), blob !== null);
    if (node.blob !== undefined) throw new RangeError("one path stands twice in one commit");
    node.blob = blob;
  }
  return root;
}

function nodeAt(root: ChangeNode, names: readonly string[], creates: boolean): ChangeNode {
  let node = root;
  for (const name of names) {
    if (creates && !isEntryName(name)) {
      const details = { rule: "R-GIT", key: JSON.stringify(name) };
      throw new TeamMemoryError("path_traversal", `could not write a name that git refuses: ${details.key}`, {
        details,
      });
    }
    const next = node.below.get(name) ?? { below: new Map() };
    node.below.set(name, next);
    node = next;
  }
  return node;
}
