import { describe, expect, it } from "vitest";
import { buildServedTree, editServedTree, idOfServedTree } from "../../../../client/sync/pull/served-tree.ts";
import { blobIdOf, treeIdOf } from "../../../../shared/sync/git-ids.ts";

const KEYS = ["b.md", "a.md", "a.md.md", "a b.md", "a-b/c.md", "a/c.md", "a/b/c.md", "ä.md", "\ue000.md", "😀.md"];
const FILES = KEYS.map((key) => ({ key, blob: blobIdOf(key) }));

describe("buildServedTree", () => {
  it.each([
    { name: "nothing", files: [] },
    { name: "one file", files: FILES.slice(0, 1) },
    { name: "names that sort otherwise as text, as folders, or by their bytes", files: FILES },
    { name: "the same the other way round", files: FILES.toReversed() },
  ])("has the id that git gives to $name", ({ files }) => {
    expect(idOfServedTree(buildServedTree(files))).toBe(treeIdOf(files));
  });
});

describe("editServedTree", () => {
  it("comes to what is built anew, whatever is added, changed and removed", () => {
    for (const [at, { key }] of FILES.entries()) {
      const others = FILES.toSpliced(at, 1);
      const edited = { key, blob: blobIdOf("edited") };
      const added = editServedTree(buildServedTree(others), [edited]);
      expect(idOfServedTree(added)).toBe(treeIdOf([...others, edited]));
      expect(idOfServedTree(editServedTree(added, [{ key, blob: null }]))).toBe(treeIdOf(others));
    }
  });
});
