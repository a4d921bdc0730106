import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { mergeLines } from "../../../shared/sync/merge-lines.ts";

/** One letter a line. */
function toLines(letters: string): string {
  return letters.replace(/./g, "$&\n");
}

describe("mergeLines", () => {
  it.each([
    { name: "edits apart", base: "abcde", mine: "Abcde", theirs: "abcdE", merged: "AbcdE" },
    { name: "an edit and a removal", base: "abcde", mine: "Abcde", theirs: "abde", merged: "Abde" },
    { name: "inserts at both ends", base: "abc", mine: "xabc", theirs: "abcy", merged: "xabcy" },
    { name: "the same edit beside another", base: "abcde", mine: "aXcde", theirs: "aXcdY", merged: "aXcdY" },
    { name: "the same insert", base: "ab", mine: "axbm", theirs: "axb", merged: "axbm" },
    { name: "removals that overlap", base: "abcdef", mine: "aef", theirs: "abf", merged: null },
    { name: "the same line", base: "abc", mine: "axc", theirs: "ayc", merged: null },
    { name: "lines that touch", base: "abcd", mine: "axcd", theirs: "abyd", merged: null },
    { name: "inserts at one place", base: "ab", mine: "axb", theirs: "ayb", merged: null },
    { name: "an edit in what was removed", base: "abcd", mine: "ad", theirs: "abxd", merged: null },
    { name: "one edit across two", base: "abcdefg", mine: "aXcdeYg", theirs: "aZg", merged: null },
    { name: "nothing to begin with", base: "", mine: "a", theirs: "b", merged: null },
    { name: "all removed", base: "ab", mine: "", theirs: "ab", merged: "" },
  ])("$name", ({ base, mine, theirs, merged }) => {
    const expected = merged === null ? null : toLines(merged);
    const sides = { base: toLines(base), mine: toLines(mine), theirs: toLines(theirs) };
    expect(mergeLines(sides)).toBe(expected);
    expect(mergeLines({ ...sides, mine: sides.theirs, theirs: sides.mine })).toBe(expected);
  });

  it.each([
    ["at the bound on steps: merged", 463, true],
    ["beyond it: not", 464, false],
  ])("%s", (_what, empties, isMerged) => {
    const write = (first: string, middle: string, last: string) => {
      const half = "\n".repeat(Math.floor(empties / 2));
      return `${first}\n${half}${middle}${half}${empties % 2 === 0 ? "" : "\n"}${last}\n`;
    };
    expect(empties ** 2 * (empties + 2) <= LIMITS.mergeStepsMax).toBe(isMerged);
    const merged = mergeLines({ base: write("a", "", "b"), mine: write("A", "", "B"), theirs: write("a", "t\n", "b") });
    expect(merged).toBe(isMerged ? write("A", "t\n", "B") : null);
  });

  it("U+2028 ends no line", () => {
    const sides = { base: "a\u2028b\n", mine: "A\u2028b\n", theirs: "a\u2028B\n" };
    expect(mergeLines(sides)).toBeNull();
  });
});
