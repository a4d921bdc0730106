import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { mergeMemory } from "../../../shared/sync/merge-memory.ts";
import { BODY, FACE, memory } from "./support.ts";

describe("mergeMemory of one memory edited in two places", () => {
  const base = memory(FACE);

  it("in different sections: both edits", () => {
    const mine = base.replace("mocks lied", "mocks lied in May");
    const theirs = base.replace("every test", "every test but fast ones");
    const text = mine.replace("every test", "every test but fast ones");
    expect(mergeMemory(base, mine, theirs)).toEqual({ kind: "merged", text });
  });

  it("in the same line: a conflict with all three texts", () => {
    const mine = base.replace("mocks lied", "mocks lied in May");
    const theirs = base.replace("mocks lied", "mocks cost a week");
    expect(mergeMemory(base, mine, theirs)).toEqual({ kind: "conflict", field: "body", base, mine, theirs });
  });

  it("in different frontmatter fields, though the lines touch: both edits", () => {
    const mine = base.replace("name: N", "name: Databases");
    const theirs = base.replace("description: D", "description: Tests use real databases");
    const text = theirs.replace("name: N", "name: Databases");
    expect(mergeMemory(base, mine, theirs)).toEqual({ kind: "merged", text });
  });

  it("in frontmatter and in the body: both edits", () => {
    const mine = base.replace("name: N", "name: Databases");
    const theirs = `${base}\nSee also: containers.\n`;
    expect(mergeMemory(base, mine, theirs)).toEqual({ kind: "merged", text: `${mine}\nSee also: containers.\n` });
  });

  it("by adding different lines at one place: a conflict, because nobody knows their order", () => {
    expect(mergeMemory(base, `${base}a\n`, `${base}b\n`)).toMatchObject({ kind: "conflict", field: "body" });
  });

  it("by adding the same lines at one place: they stand there once", () => {
    const mine = `${base}a\n`.replace("name: N", "name: M");
    expect(mergeMemory(base, mine, `${base}a\n`)).toEqual({ kind: "merged", text: mine });
  });
});

describe("mergeMemory of one memory written in two places", () => {
  it("with the same fields in another order: one order, whoever merges", () => {
    const mine = memory("name: N\ndescription: D\ntype: feedback\n");
    const theirs = memory("type: feedback\nname: N\ndescription: D\n");
    const merged = mergeMemory(null, mine, theirs);
    expect(merged).toEqual({ kind: "merged", text: expect.stringContaining("description: D\n") });
    expect(mergeMemory(null, theirs, mine)).toEqual(merged);
  });

  it("with fields that only one of them has: all of them", () => {
    const merged = mergeMemory(null, memory(`${FACE}tags: [a]\n`), memory(`${FACE}owner: Ada\ntags: [b]\n`));
    expect(merged).toEqual({ kind: "merged", text: memory(`${FACE}owner: Ada\ntags: [a, b]\n`) });
  });

  it.each([
    ["another body", memory(FACE, "a\n"), memory(FACE, "b\n"), "body"],
    ["another name", memory(FACE), memory(FACE.replace("N", "M")), "name"],
    ["no frontmatter", "a\n", "b\n", "body"],
    ["frontmatter never closed", "---\nname: N\n", "---\nname: M\n", "text"],
  ])("with %s: a conflict without a base", (_what, mine, theirs, field) => {
    expect(mergeMemory(null, mine, theirs)).toEqual({ kind: "conflict", field, base: null, mine, theirs });
  });

  it("on one side empty: the other", () => {
    expect(mergeMemory(null, "", memory(FACE))).toEqual({ kind: "merged", text: memory(FACE) });
  });
});

describe("mergeMemory of frontmatter that YAML refuses", () => {
  it.each([
    ["a colon in a value", "name: N\ndescription: a: b\ntype: feedback\n"],
    ["a key twice", "name: N\nname: N\ndescription: D\ntype: feedback\n"],
    ["aliases", "name: &n N\ndescription: *n\ntype: feedback\n"],
    ["nothing but comments", "# to be done\n"],
    ["JSON", '{"name": "N", "description": "D", "type": "feedback"}\n'],
  ])("%s: by lines, with both edits", (_what, fields) => {
    const base = memory(fields);
    const mine = base.replace(fields, `${fields.trimEnd()} # mine\n`);
    const theirs = base.replace("every test", "every slow test");
    const text = mine.replace("every test", "every slow test");
    expect(mergeMemory(base, mine, theirs)).toEqual({ kind: "merged", text });
  });

  it("on one side only: by lines", () => {
    const base = memory("name: N\ndescription: D\nzone: EU\ntype: feedback\n");
    const mine = base.replace("description: D", "description: D: more");
    const theirs = base.replace("type: feedback", "type: project");
    const text = mine.replace("type: feedback", "type: project");
    expect(mergeMemory(base, mine, theirs)).toEqual({ kind: "merged", text });
  });

  it("of two edits that name a session only together: it is not named", () => {
    const base = memory("name: a: b\nother:\n  x: 1\n  y: 2\n");
    const mine = base.replace("y: 2\n", "y: 2\n  originSessionId: 0f\n");
    const theirs = base.replace("other:", "metadata:");
    expect(mergeMemory(base, mine, theirs)).toEqual({ kind: "merged", text: theirs });
  });

  it("removed by one, used by none: the frontmatter is gone", () => {
    const base = memory(FACE);
    expect(mergeMemory(base, BODY, base.replace("every test", "all tests"))).toEqual({
      kind: "merged",
      text: BODY.replace("every test", "all tests"),
    });
  });
});

describe("mergeMemory that is clean by lines and yet no memory", () => {
  it("of two types in two shapes: a conflict in the type", () => {
    const base = memory("name: N\ndescription: D\n");
    const mine = memory("name: N\ndescription: D\ntype: feedback\n");
    const theirs = memory("name: N\ndescription: D\nmetadata:\n  type: project\n");
    expect(mergeMemory(base, mine, theirs)).toMatchObject({ kind: "conflict", field: "type" });
  });

  it("of two halves that are too large together: a conflict", () => {
    const half = "x".repeat(LIMITS.memorySizeBytesMax / 2);
    const base = memory(FACE, "top\nmiddle\nbottom\n");
    const mine = base.replace("top", half);
    const theirs = base.replace("bottom", half);
    expect(mergeMemory(base, mine, theirs)).toMatchObject({ kind: "conflict", field: "text" });
  });

  it("of a body that turns into frontmatter: a conflict", () => {
    const base = memory(FACE, "a\nb\n---\n");
    const mine = "a\nb\n---\n";
    const theirs = memory(FACE, "---\na: 1\nb\n---\n");
    expect(mergeMemory(base, mine, theirs).kind).toBe("conflict");
  });

  it("is merged where one of the sides was none before", () => {
    const base = memory("name: N\ntype: feedback\n");
    const theirs = base.replace("every test", "all tests");
    const mine = base.replace("name: N", "name: M");
    expect(mergeMemory(base, mine, theirs).kind).toBe("merged");
  });
});

describe("mergeMemory of line ends", () => {
  const base = memory(FACE);
  const mine = base.replace("name: N", "name: M");
  it.each([
    ["CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["a BOM", (text: string) => `\ufeff${text}`],
    ["no final newline", (text: string) => text.trimEnd()],
    ["a session's id", (text: string) => text.replace("name:", "originSessionId: 0f\nname:")],
  ])("%s changes nothing, on whichever side", (_what, write) => {
    const theirs = base.replace("every test", "all tests");
    const merged = mergeMemory(base, mine, theirs);
    expect(merged).toEqual({ kind: "merged", text: mine.replace("every test", "all tests") });
    expect(mergeMemory(write(base), mine, theirs)).toEqual(merged);
    expect(mergeMemory(base, write(mine), theirs)).toEqual(merged);
    expect(mergeMemory(base, mine, write(theirs))).toEqual(merged);
    expect(mergeMemory(base, write(base), mine)).toEqual({ kind: "merged", text: mine });
  });
});

describe("mergeMemory of bodies that are costly to compare", () => {
  it.each([
    ["20,000 empty lines between edits", "\n".repeat(20_000)],
    ["as many lines as fit, of two kinds", "a\nb\n".repeat(16_000)],
  ])("%s: an answer at once", (_what, middle) => {
    const write = (top: string, bottom: string) => memory(FACE, `${top}\n${middle}${bottom}\n`);
    const startMs = performance.now();
    expect(mergeMemory(write("t", "b"), write("T", "b"), write("t", "B"))).toEqual({
      kind: "merged",
      text: write("T", "B"),
    });
    expect(mergeMemory(write("t", "b"), write("T", "B"), write("t", "c")).kind).toBe("conflict");
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });

  it("larger than a memory may be: a conflict", () => {
    const write = (name: string, last: string) =>
      memory(FACE.replace("N", name), `${"x".repeat(LIMITS.memorySizeBytesMax)}\n${last}\n`);
    expect(mergeMemory(write("N", "a"), write("M", "a"), write("N", "b"))).toMatchObject({
      kind: "conflict",
      field: "text",
    });
  });
});
