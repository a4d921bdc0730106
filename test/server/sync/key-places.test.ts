import { describe, expect, it } from "vitest";
import { findNewCollisions } from "../../../server/sync/proposal/key-places.ts";
import { emptySnapshot } from "../../../server/sync/snapshot/snapshot.ts";
import { SHOP } from "./support.ts";

const BASE = ["Foo.md", "notes/a.md", "notes/b.md", "x.md"];

const snapshot = { ...emptySnapshot(SHOP), files: new Map(BASE.map((key) => [key, { key }])) } as never;

describe("findNewCollisions", () => {
  it.each([
    { added: ["bar.md", "notes/c.md", "other/Foo.md"], removed: [], found: [] },
    { added: ["foo.md"], removed: [], found: [["foo.md", "R-COLLISION"]] },
    { added: ["foo.md"], removed: ["Foo.md"], found: [] },
    { added: ["foo.md", "FOO.md"], removed: ["Foo.md"], found: [["FOO.md", "R-COLLISION"]] },
    { added: ["Notes/c.md"], removed: ["notes/a.md"], found: [["Notes/c.md", "R-COLLISION"]] },
    { added: ["Notes/c.md"], removed: ["notes/a.md", "notes/b.md"], found: [] },
    { added: ["X.md/y.md"], removed: [], found: [["X.md/y.md", "R-FILE-DIR"]] },
  ])("of $added without $removed", ({ added, removed, found }) => {
    const collisions = findNewCollisions(snapshot, added as never, new Set(removed));
    expect(collisions.map(({ key, rule }) => [key, rule])).toEqual(found);
  });
});
