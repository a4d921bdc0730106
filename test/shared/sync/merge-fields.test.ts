import { describe, expect, it } from "vitest";
import { mergeMemory } from "../../../shared/sync/merge-memory.ts";
import { BODY, FACE, memory } from "./support.ts";

/** Of frontmatter alone: the merged fields, or the name of the one that conflicts. */
function mergedFields(base: string, mine: string, theirs: string): string {
  const there = mergeMemory(memory(FACE + base), memory(FACE + mine), memory(FACE + theirs));
  const back = mergeMemory(memory(FACE + base), memory(FACE + theirs), memory(FACE + mine));
  if (there.kind === "conflict") {
    expect(back).toEqual({ ...there, mine: there.theirs, theirs: there.mine });
    return `conflict in ${there.field}`;
  }
  expect(back).toEqual(there);
  expect(there.text.startsWith(`---\n${FACE}`)).toBe(true);
  expect(there.text.endsWith(`---\n${BODY}`)).toBe(true);
  return there.text.slice(`---\n${FACE}`.length, -`---\n${BODY}`.length);
}

describe("mergeMemory of fields", () => {
  it.each([
    { name: "one adds, one removes", base: "a: 1\n", mine: "a: 1\nb: 2\n", theirs: "", merged: "b: 2\n" },
    { name: "both add", base: "", mine: "m: 1\n", theirs: "t: 1\n", merged: "m: 1\nt: 1\n" },
    { name: "both add the same", base: "x: 1\n", mine: "x: 2\nn: 1\n", theirs: "x: 1\nn: 1\n", merged: "x: 2\nn: 1\n" },
    { name: "both remove", base: "a: 1\nb: 1\n", mine: "b: 2\n", theirs: "b: 1\n", merged: "b: 2\n" },
    { name: "one removes, one changes", base: "a: 1\n", mine: "", theirs: "a: 2\n", merged: "conflict in frontmatter" },
    { name: "both change", base: "a: 1\n", mine: "a: 2\n", theirs: "a: 3\n", merged: "conflict in frontmatter" },
    {
      name: "quotes, odd spaces and unknown keys stay",
      base: "x-team :   'a'   # why\nrule: |\n  # no comment\n\n  text\nz: 1\n",
      mine: "x-team :   'a'   # why\nrule: |\n  # no comment\n\n  text\nz: 2\n",
      theirs: "x-team :   'b'   # why\nrule: |\n  # no comment\n\n  text\nz: 1\n",
      merged: "x-team :   'b'   # why\nrule: |\n  # no comment\n\n  text\nz: 2\n",
    },
    {
      name: "a comment goes with the field below it",
      base: "a: 1\n# of b\nb: 1\n",
      mine: "a: 1\n# of b\nb: 2\n",
      theirs: "# of b\nb: 1\na: 1\n",
      merged: "# of b\nb: 2\na: 1\n",
    },
    {
      name: "a comment and its field, each changed by one",
      base: "# of a\na: 1\n# end\n",
      mine: "# of a, and why\na: 1\n# end\n",
      theirs: "# of a\na: 2\n# the end\n",
      merged: "# of a, and why\na: 2\n# the end\n",
    },
    {
      name: "a comment that both changed",
      base: "# a\na: 1\n",
      mine: "# b\na: 1\n",
      theirs: "# c\na: 1\n",
      merged: "conflict in frontmatter",
    },
    {
      name: "comments at the end that both changed",
      base: "# a\n",
      mine: "# b\n",
      theirs: "# c\n",
      merged: "conflict in frontmatter",
    },
    {
      name: "a map that is not ours",
      base: "m:\n  a: 1\n  b: 1\n",
      mine: "m:\n  a: 2\n  b: 1\n",
      theirs: "m:\n  a: 1\n  b: 2\n",
      merged: "conflict in frontmatter",
    },
  ])("$name", ({ base, mine, theirs, merged }) => expect(mergedFields(base, mine, theirs)).toBe(merged));
});

describe("mergeMemory of lists", () => {
  it.each([
    { name: "flow", base: "t: [a, b]\n", mine: "t: [a, b, m]\n", theirs: "t: [t, b]\n", merged: "t: [t, b, m]\n" },
    {
      name: "block",
      base: "t:\n  - a\n  - b\nz: 1\n",
      mine: "t:\n  - b\n  - m\nz: 1\n",
      theirs: "t:\n  - a\n  - b\n  - t\nz: 1\n",
      merged: "t:\n  - b\n  - t\n  - m\nz: 1\n",
    },
    {
      name: "block at the margin of its key, with comments",
      base: "t: # what\n- a\n- b # bee\n",
      mine: "t: # what\n# first\n- a\n- b # bee\n- m # em\n",
      theirs: "t: # what for\n- a\n",
      merged: "t: # what for\n# first\n- a\n- m # em\n",
    },
    {
      name: "block with items of several lines",
      base: "t:\n  - a: 1\n    b: 2\n",
      mine: "t:\n  - a: 1\n    b: 2\n  - m\n",
      theirs: "t:\n  - a: 1\n    b: 2\n  - >\n    two\n    lines\n",
      merged: "t:\n  - a: 1\n    b: 2\n  - m\n  - >\n    two\n    lines\n",
    },
    {
      name: "flow with quotes, commas and brackets in items",
      base: `t: ["a, b", {c: d}]\n`,
      mine: `t: ["a, b", {c: d}, 'm]']\n`,
      theirs: `t: [ {c: d}, it's ] # why\n`,
      merged: `t: [{c: d}, 'm]', it's] # why\n`,
    },
    {
      name: "flow over lines",
      base: "t: [\n  a,\n  b,\n  ]\n",
      mine: "t: [a]\n",
      theirs: "t: [b]\n",
      merged: "t: []\n",
    },
    {
      name: "flow and block",
      base: "t: [a]\n",
      mine: "t: [a, m]\n",
      theirs: "t:\n  - a\n  - t\n",
      merged: "t:\n  - a\n  - m\n  - t\n",
    },
    {
      name: "quotes are no change of an item",
      base: "t: [a]\n",
      mine: "t: ['a', m]\n",
      theirs: "t: [a, t]\n",
      merged: "t: ['a', m, t]\n",
    },
    { name: "both made", base: "", mine: "t: [a, m]\n", theirs: "t: [a, t]\n", merged: "t: [a, m, t]\n" },
    { name: "both made of nothing", base: "t:\n", mine: "t: [m]\n", theirs: "t: [t]\n", merged: "t: [m, t]\n" },
    {
      name: "block emptied",
      base: "t:\n  - a\n  - b\n",
      mine: "t:\n  - a\n",
      theirs: "t:\n  - b\n",
      merged: "t: []\n",
    },
    {
      name: "indented anew",
      base: "t:\n- a\n",
      mine: "t:\n    - a\n    - m\n",
      theirs: "t:\n- a\n- t\n",
      merged: "t:\n    - a\n    - m\n    - t\n",
    },
    { name: "list and text", base: "t: [a]\n", mine: "t: [m]\n", theirs: "t: t\n", merged: "conflict in frontmatter" },
    { name: "text before", base: "t: a\n", mine: "t: [m]\n", theirs: "t: [t]\n", merged: "conflict in frontmatter" },
    {
      name: "an item twice",
      base: "t: [a]\n",
      mine: "t: [a, a]\n",
      theirs: "t: [t]\n",
      merged: "conflict in frontmatter",
    },
    {
      name: "an item twice in a block",
      base: "t:\n- a\n",
      mine: "t:\n- a\n- a # again\n",
      theirs: "t:\n- a\n- t\n",
      merged: "conflict in frontmatter",
    },
    {
      name: "comments in flow",
      base: "t: [a]\n",
      mine: "t: [a # x\n  , m]\n",
      theirs: "t: [t]\n",
      merged: "conflict in frontmatter",
    },
  ])("$name", ({ base, mine, theirs, merged }) => expect(mergedFields(base, mine, theirs)).toBe(merged));
});

describe("mergeMemory of metadata", () => {
  it.each([
    {
      name: "block",
      base: "metadata:\n  a: 1\n  b: 1\n",
      mine: "metadata:\n  a: 2\n  b: 1\n",
      theirs: "metadata:\n  # of b\n  b: 1\n  c: 1\n  a: 1\n",
      merged: "metadata:\n  # of b\n  b: 1\n  c: 1\n  a: 2\n",
    },
    {
      name: "flow",
      base: "metadata: { a: 1, b: 1 }\n",
      mine: "metadata: { a: 2, b: 1 }\n",
      theirs: "metadata: { a: 1, b: 3 }\n",
      merged: "metadata: {a: 2, b: 3}\n",
    },
    {
      name: "flow and block",
      base: "metadata: {a: 1, b: 1}\n",
      mine: "metadata: {a: 2, b: 1}\n",
      theirs: "metadata:\n    a: 1\n    b: 3\n",
      merged: "metadata:\n    a: 2\n    b: 3\n",
    },
    {
      name: "a list in it",
      base: "metadata:\n  t: [a]\n",
      mine: "metadata:\n  t: [m]\n",
      theirs: "metadata:\n  t: [a, t]\n",
      merged: "metadata:\n  t: [t, m]\n",
    },
    {
      name: "one level and no deeper",
      base: "metadata:\n  metadata:\n    a: 1\n    b: 1\n",
      mine: "metadata:\n  metadata:\n    a: 2\n    b: 1\n",
      theirs: "metadata:\n  metadata:\n    a: 1\n    b: 2\n",
      merged: "conflict in metadata",
    },
    {
      name: "both change one field",
      base: "metadata: {a: 1}\n",
      mine: "metadata: {a: 2}\n",
      theirs: "metadata: {a: 3}\n",
      merged: "conflict in metadata",
    },
    {
      name: "the later modified",
      base: "metadata:\n  modified: 2026-03-01\n",
      mine: "metadata:\n  modified: 2026-03-05T09:00:00Z\n  a: 1\n",
      theirs: "metadata:\n  modified: 2026-03-05T08:30:00-01:00\n",
      merged: "metadata:\n  modified: 2026-03-05T08:30:00-01:00\n  a: 1\n",
    },
  ])("$name", ({ base, mine, theirs, merged }) => expect(mergedFields(base, mine, theirs)).toBe(merged));
});

describe("mergeMemory of modified", () => {
  it.each([
    ["the later", "2026-01-02", "2026-01-03", "modified: 2026-01-03\n"],
    ["the later, in quotes", '"2026-01-04T00:00:00.5Z"', "2026-01-04", 'modified: "2026-01-04T00:00:00.5Z"\n'],
    ["without a zone as UTC", "2026-01-02T10:00", "2026-01-02T10:00:00+01:00", "modified: 2026-01-02T10:00\n"],
    ["one moment written twice", "2026-01-02T00:00Z", "2026-01-02", "modified: 2026-01-02T00:00Z\n"],
    ["no timestamp", "2026-01-02", "yesterday", "conflict in modified"],
    ["no day of the calendar", "2026-01-02", "2026-13-02", "conflict in modified"],
  ])("%s", (_what, mine, theirs, merged) => {
    expect(mergedFields("modified: 2026-01-01\n", `modified: ${mine}\n`, `modified: ${theirs}\n`)).toBe(merged);
  });

  it("an older one that only one side wrote is that side's", () => {
    expect(mergedFields("modified: 2026-01-05\n", "modified: 2026-01-01\n", "modified: 2026-01-05\na: 1\n")).toBe(
      "modified: 2026-01-01\na: 1\n",
    );
  });

  it("a new one outlives its removal", () => {
    expect(mergedFields("modified: 2026-01-05\n", "modified: 2026-01-06\n", "a: 1\n")).toContain(
      "modified: 2026-01-06\n",
    );
  });
});
