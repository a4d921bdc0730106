import { assert, describe, expect, it } from "vitest";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { assertProposable } from "../../../shared/memory/assert-proposable.ts";
import { sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";

const KEY = sanitizePathKey("ops/feedback_testing.md");
const GOOD = "name: Testing\ndescription: Real git, no mocks\ntype: feedback";

function fileOf(frontmatter: string, body = "The rule.\n"): string {
  return `---\n${frontmatter}\n---\n${body}`;
}

function refusalOf(text: string) {
  try {
    assertProposable(KEY, text);
  } catch (error) {
    if (isTeamMemoryError(error)) return error;
    throw error;
  }
  return assert.fail("it was taken");
}

describe("assertProposable", () => {
  it.each([
    ["a flat type", fileOf(GOOD)],
    ["a type below metadata", fileOf("name: N\ndescription: D\nmetadata:\n  node_type: memory\n  type: project")],
    [
      "originSessionId, which toCanonical removes",
      fileOf("name: N\ndescription: D\nmetadata: {type: project, originSessionId: 0f}"),
    ],
    ["CRLF and a BOM, which toCanonical removes", `\ufeff${fileOf(GOOD).replaceAll("\n", "\r\n")}`],
    ["quoted values", fileOf(`name: "a: b"\ndescription: 'it''s # here'\ntype: reference`)],
    ["a folded value that is one line", fileOf("name: N\ndescription: >\n  one\n  line\ntype: feedback")],
    ["emoji and letters that need joiners", fileOf("name: 👩‍💻 ✔️\ndescription: می‌خواهم\ntype: feedback")],
    ["an empty body", fileOf(GOOD, "")],
    [
      "names and descriptions at their bounds",
      fileOf(
        `name: ${"n".repeat(LIMITS.nameLengthMax)}\ndescription: ${"d".repeat(LIMITS.descriptionLengthMax)}\ntype: feedback`,
      ),
    ],
  ])("takes %s", (_what, text) => expect(assertProposable(KEY, text).warnings).toEqual([]));

  it("gives what parseMemory reads", () => {
    expect(assertProposable(KEY, fileOf(GOOD))).toMatchObject({
      name: "Testing",
      type: "feedback",
      body: "The rule.\n",
    });
  });

  it.each([
    { name: "no frontmatter", text: "text\n", field: "frontmatter", line: 1 },
    { name: "an empty file", text: "", field: "frontmatter", line: 1 },
    { name: "another language", text: fileOf(GOOD).replace("---", "---js"), field: "frontmatter", line: 1 },
    { name: "frontmatter never closed", text: `---\n${GOOD}\n`, field: "frontmatter", line: 1 },
    {
      name: "frontmatter too large",
      text: fileOf(`${GOOD}\nx: ${"y".repeat(LIMITS.frontmatterSizeBytesMax)}`),
      field: "frontmatter",
      line: 1,
    },
    { name: "no name", text: fileOf("description: D\ntype: feedback"), field: "name", line: 1 },
    { name: "an empty name", text: fileOf("description: D\nname:\ntype: feedback"), field: "name", line: 3 },
    {
      name: "a name that is a map",
      text: fileOf("description: D\nname: {a: b}\ntype: feedback"),
      field: "name",
      line: 3,
    },
    { name: "no description", text: fileOf("name: N\ntype: feedback"), field: "description", line: 1 },
    {
      name: "a description of two lines",
      text: fileOf("name: N\ntype: feedback\ndescription: |\n  a\n  b"),
      field: "description",
      line: 4,
    },
    {
      name: "a name too long",
      text: fileOf(`type: feedback\ndescription: D\nname: ${"n".repeat(LIMITS.nameLengthMax + 1)}`),
      field: "name",
      line: 4,
    },
    {
      name: "a description too long",
      text: fileOf(`name: N\ndescription: ${"d".repeat(LIMITS.descriptionLengthMax + 1)}\ntype: feedback`),
      field: "description",
      line: 3,
    },
    {
      name: "a zero-width space in the name",
      text: fileOf("name: a\u200bb\ndescription: D\ntype: feedback"),
      field: "name",
      line: 2,
      says: "U+200B",
    },
    {
      name: "a bidi override in the description",
      text: fileOf("name: N\ndescription: a\u202eb\ntype: feedback"),
      field: "description",
      line: 3,
      says: "U+202E",
    },
    {
      name: "a bidi isolate",
      text: fileOf("name: N\ndescription: a\u2066b\ntype: feedback"),
      field: "description",
      line: 3,
      says: "U+2066",
    },
    {
      name: "a tag character",
      text: fileOf("name: N\ndescription: a\u{e0041}b\ntype: feedback"),
      field: "description",
      line: 3,
      says: "U+E0041",
    },
    {
      name: "an escape sequence",
      text: fileOf('name: "a\\e[31mb"\ndescription: D\ntype: feedback'),
      field: "name",
      line: 2,
      says: "U+001B",
    },
    {
      name: "a joiner between no letters",
      text: fileOf("name: a \u200d b\ndescription: D\ntype: feedback"),
      field: "name",
      line: 2,
      says: "U+200D",
    },
    { name: "no type", text: fileOf("name: N\ndescription: D"), field: "type", line: 1 },
    { name: "an unknown type", text: fileOf("name: N\ndescription: D\ntype: rule"), field: "type", line: 4 },
    { name: "a misspelt type", text: fileOf("name: N\ndescription: D\ntype: Feedback"), field: "type", line: 4 },
    {
      name: "an unknown type below metadata",
      text: fileOf("name: N\ndescription: D\nmetadata:\n  node_type: memory\n  type: rule"),
      field: "metadata.type",
      line: 6,
    },
    {
      name: "two types that differ",
      text: fileOf("name: N\ndescription: D\nmetadata:\n  type: project\ntype: feedback"),
      field: "type",
      line: 6,
    },
    {
      name: "description: a: b",
      text: fileOf("name: N\ndescription: a: b\ntype: feedback"),
      field: "description",
      line: 3,
    },
    { name: "double keys", text: fileOf("name: N\nname: M\ndescription: D\ntype: feedback"), field: "name", line: 3 },
    { name: "a tab", text: fileOf("name: N\ndescription: D\nmetadata:\n\ttype: feedback"), field: "metadata", line: 5 },
    { name: "an alias", text: fileOf("name: &n N\ndescription: *n\ntype: feedback"), field: "description", line: 3 },
    { name: "a NUL in the body", text: fileOf(GOOD, "a\nb\0\n"), field: "text", line: 7 },
    { name: "half of a surrogate pair", text: fileOf(GOOD, "a\n\ud800\n"), field: "text", line: 7 },
    {
      name: "an originSessionId behind an escape",
      text: fileOf(`${GOOD}\n"origin\\x53essionId": 0f`),
      field: "originSessionId",
      line: 5,
    },
    {
      name: "an originSessionId behind an anchor",
      text: fileOf("name: N\ndescription: D\nmetadata: &m\n  {type: project, originSessionId: 0f}"),
      field: "originSessionId",
      line: 5,
    },
    {
      name: "a line in a CRLF file",
      text: fileOf("name: N\ndescription: D\ntype: rule").replaceAll("\n", "\r\n"),
      field: "type",
      line: 4,
    },
  ])("refuses $name, naming field and line", ({ text, field, line, says = "" }) => {
    const error = refusalOf(text);
    expect(error.code).toBe("invalid_memory");
    expect(error.details).toMatchObject({ key: KEY, field, line });
    expect(error.message).toMatch(`Cannot propose ${KEY}: line ${line}: ${field} `);
    expect(error.message).toContain(says);
    expect(error.message).not.toMatch(/\.$/);
  });

  it.each([
    ["flat", fileOf("name: N\ndescription: D\ntype: user"), 4],
    ["below metadata", fileOf("name: N\ndescription: D\nmetadata:\n  type: user"), 5],
    ["in flow form", fileOf("name: N\ndescription: D\nmetadata: {type: user}"), 4],
    ["misspelt", fileOf("name: N\ndescription: D\ntype: USER"), 4],
    ["beside another type", fileOf("name: N\ndescription: D\ntype: feedback\nmetadata: {type: user}"), 4],
    ["in a file that has other problems", fileOf("type: user\ndescription: a: b"), 2],
  ])("keeps a memory of type user private: %s", (_where, text, line) => {
    const error = refusalOf(text);
    expect(error.code).toBe("private_memory");
    expect(error.details).toMatchObject({ key: KEY, field: "type", line });
  });

  it("refuses a text one byte over its bound, counted in UTF-8", () => {
    const room = LIMITS.memorySizeBytesMax - Buffer.byteLength(fileOf(GOOD, ""));
    expect(() => assertProposable(KEY, fileOf(GOOD, "x".repeat(room)))).not.toThrow();
    const error = refusalOf(fileOf(GOOD, `${"x".repeat(room - 1)}ü`));
    expect(error.code).toBe("too_large");
    expect(error.details).toMatchObject({ key: KEY, field: "text" });
  });

  it("collects every problem of a file, without its words", () => {
    const error = refusalOf(fileOf('name: "SECRET\\u200b"\ndescription: ""\ntype: SECRET', "SECRET\0\n"));
    expect(error.details["problems"]).toEqual([
      { field: "name", line: 2, message: "has an invisible character, U+200B" },
      { field: "description", line: 3, message: "is empty" },
      { field: "type", line: 4, message: "is none of user, feedback, project, reference" },
      { field: "text", line: 6, message: "has a NUL character or half of a surrogate pair" },
    ]);
    expect(JSON.stringify([error.message, error.details])).not.toContain("SECRET");
  });
});
