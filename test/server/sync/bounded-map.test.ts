import { describe, expect, it } from "vitest";
import { buildBoundedMap } from "../../../server/sync/snapshot/bounded-map.ts";

describe("buildBoundedMap", () => {
  it("forgets what was used least recently, past its count", () => {
    const map = buildBoundedMap<string, number>({ countMax: 2, weightMax: 100, weigh: () => 1 });
    map.set("a", 1);
    map.set("b", 2);
    map.get("a");
    map.set("c", 3);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
  });

  it("forgets past its weight, also when a value is replaced, and keeps one that is too heavy until the next", () => {
    const map = buildBoundedMap<string, number>({ countMax: 100, weightMax: 10, weigh: (value) => value });
    map.set("a", 4);
    map.set("b", 4);
    map.set("b", 6);
    expect([map.get("a"), map.get("b")]).toEqual([4, 6]);
    map.set("b", 7);
    expect([map.get("a"), map.get("b")]).toEqual([undefined, 7]);
    map.set("huge", 99);
    expect([map.get("b"), map.get("huge")]).toEqual([undefined, 99]);
    map.set("a", 1);
    expect([map.get("huge"), map.get("a")]).toEqual([undefined, 1]);
  });

  it("deletes with the weight", () => {
    const map = buildBoundedMap<string, number>({ countMax: 100, weightMax: 10, weigh: (value) => value });
    map.set("a", 9);
    map.delete("a");
    map.delete("a");
    map.set("b", 9);
    map.set("c", 1);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([undefined, 9, 1]);
  });
});
