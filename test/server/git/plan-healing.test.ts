import { describe, expect, it } from "vitest";
import { planHealing } from "../../../server/git/plan-healing.ts";
import { LIMITS } from "../../../shared/limits.ts";

const OLD = LIMITS.gitUnfinishedAgeMs + 1;
const OBJECT = `memory.git/objects/ab/${"c".repeat(38)}`;

describe("planHealing", () => {
  it.each([
    ["a sound object", OBJECT, 10, OLD, "keep"],
    ["an empty object", OBJECT, 0, 0, "remove"],
    ["an unfinished object, young", "memory.git/objects/ab/tmp_obj_x", 0, 0, "keep"],
    ["an unfinished object, at the bound", "memory.git/objects/ab/tmp_obj_x", 0, OLD - 1, "keep"],
    ["an unfinished object, old", "memory.git/objects/ab/tmp_obj_x", 9, OLD, "remove"],
    ["an empty index", "memory.git/objects/pack/pack-ab.idx", 0, 0, "remove"],
    ["an empty pack", "memory.git/objects/pack/pack-ab.pack", 0, 0, "remove"],
    ["an empty marker beside a pack", "memory.git/objects/pack/pack-ab.keep", 0, OLD, "keep"],
    ["a lock of any age and size", "memory.git/refs/heads/main.lock", 0, 0, "break lock if dead"],
    ["an empty branch", "memory.git/refs/heads/team-memory/x", 0, 0, "remove"],
    ["a branch", "memory.git/refs/heads/team-memory/x", 41, OLD, "keep"],
    ["the base, empty", "memory.git/refs/heads/main", 0, OLD, "keep"],
    ["our own state, empty", "memory.git/refs/team-memory/state", 0, OLD, "keep"],
    ["an empty HEAD", "memory.git/HEAD", 0, 0, "remove"],
    ["packed references, empty", "memory.git/packed-refs", 0, OLD, "keep"],
    ["somebody else's file in the data folder", "tmp_x", 0, OLD, "keep"],
    ["somebody else's lock in the data folder", "x.lock", 0, OLD, "keep"],
  ])("%s", (_, path, sizeBytes, ageMs, expected) => {
    expect(planHealing({ path, isFolder: false, sizeBytes, ageMs }, "refs/heads/main")).toBe(expected);
  });

  it("keeps folders, but for unfinished ones that are old", () => {
    const folder = (path: string) => planHealing({ path, isFolder: true, sizeBytes: 0, ageMs: OLD }, "refs/heads/main");
    expect(folder("memory.git/refs/heads/x.lock")).toBe("keep");
    expect(folder("memory.git/objects/ab")).toBe("keep");
    expect(folder("memory.git/objects/tmp_objdir-incoming-x")).toBe("remove");
    expect(folder("memory.git.new-0123")).toBe("remove");
  });
});
