import { describe, expect, it } from "vitest";
import { mergeOrder } from "../../../shared/sync/merge-order.ts";

describe("mergeOrder", () => {
  it.each([
    { name: "one adds at the end", base: "abc", mine: "abcx", theirs: "abc", order: "abcx" },
    { name: "both add at the end: by name", base: "ab", mine: "aby", theirs: "abx", order: "abxy" },
    { name: "both add at the beginning: by name", base: "ab", mine: "yab", theirs: "xab", order: "xyab" },
    { name: "additions stay before what follows them", base: "abc", mine: "axbc", theirs: "abyzc", order: "axbyzc" },
    { name: "who moves leads", base: "abc", mine: "cab", theirs: "abxc", order: "xcab" },
    { name: "who moves leads, by any name", base: "bca", mine: "abc", theirs: "bcza", order: "zabc" },
    { name: "both move: by name", base: "abc", mine: "cba", theirs: "bac", order: "bac" },
    { name: "removed by one: still told", base: "abc", mine: "ac", theirs: "abc", order: "abc" },
    { name: "nothing in common", base: "", mine: "ab", theirs: "cd", order: "abcd" },
    { name: "nothing at all", base: "a", mine: "", theirs: "", order: "" },
  ])("$name", ({ base, mine, theirs, order }) => {
    const sides = { base: [...base], mine: [...mine], theirs: [...theirs] };
    expect(mergeOrder(sides).join("")).toBe(order);
    expect(mergeOrder({ ...sides, mine: sides.theirs, theirs: sides.mine }).join("")).toBe(order);
  });
});
