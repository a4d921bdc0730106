import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { faceOf, parseMemory } from "../../../shared/memory/parse-memory.ts";

function fileOf(frontmatter: string, body = "The rule.\n"): string {
  return `---\n${frontmatter}\n---\n${body}`;
}

describe("parseMemory", () => {
  it("reads a flat type", () => {
    expect(parseMemory(fileOf("name: Testing\ndescription: Real git, no mocks\ntype: feedback"))).toEqual({
      name: "Testing",
      description: "Real git, no mocks",
      type: "feedback",
      body: "The rule.\n",
      frontmatter: new Map([
        ["name", "Testing"],
        ["description", "Real git, no mocks"],
        ["type", "feedback"],
      ]),
      warnings: [],
      hasFrontmatter: true,
    });
  });

  it.each([
    ["in block form", "metadata:\n  node_type: memory\n  type: project\n  originSessionId: 0f"],
    ["in flow form", "metadata: { node_type: memory, type: project, originSessionId: 0f }"],
  ])("reads the type below metadata %s", (_form, metadata) => {
    const memory = parseMemory(fileOf(`name: Release\ndescription: Friday\n${metadata}`));
    expect(memory).toMatchObject({ name: "Release", type: "project", warnings: [] });
    expect(memory.frontmatter.get("metadata")).toEqual(
      new Map([
        ["node_type", "memory"],
        ["type", "project"],
        ["originSessionId", "0f"],
      ]),
    );
  });

  it("keeps unknown keys, lists among them, as text", () => {
    const { frontmatter, warnings } = parseMemory(
      fileOf("name: N\ndescription: D\ntype: reference\ntags:\n  - a\n  - 1e3\nmodified: 2026-03-05T10:00:00Z"),
    );
    expect(frontmatter.get("tags")).toEqual(["a", "1e3"]);
    expect(frontmatter.get("modified")).toBe("2026-03-05T10:00:00Z");
    expect(warnings).toEqual([]);
  });

  it("keeps the body's bytes, an empty first line and lines of --- among them", () => {
    expect(parseMemory(fileOf("name: N", "\n\n# Title\n\n---\n\nlast  \n")).body).toBe(
      "\n\n# Title\n\n---\n\nlast  \n",
    );
  });

  it("ends frontmatter at a line of --- alone", () => {
    const { frontmatter, body } = parseMemory(
      "---\nname: N\nnote: a\u2028---\u2028b\nrule: |\n  ---\n  x\nx: y\n---  \n----\n---\n",
    );
    expect([...frontmatter.keys()]).toEqual(["name", "note", "rule", "x"]);
    expect(body).toBe("----\n---\n");
  });

  it.each([
    { name: "of both types, the private one", frontmatter: "type: feedback\nmetadata:\n  type: user", type: "user" },
    {
      name: "of both types, the private one above",
      frontmatter: "type: user\nmetadata:\n  type: feedback",
      type: "user",
    },
    { name: "a misspelt private one", frontmatter: "type: User", type: "user" },
    { name: "no unknown type", frontmatter: "type: secret", type: null },
    { name: "no list of types", frontmatter: "type: [feedback]", type: null },
    { name: "no type below a metadata that is text", frontmatter: "metadata: feedback", type: null },
  ])("takes $name", ({ frontmatter, type }) => {
    const memory = parseMemory(fileOf(`name: N\ndescription: D\n${frontmatter}`));
    expect(memory.type).toBe(type);
    expect(memory.warnings).not.toEqual([]);
  });

  it("shows a name and a description as one bounded visible line", () => {
    const memory = parseMemory(
      fileOf(`name: "evil\\u202etxt\\nsecond\\u200b"\ndescription: "${"wörd ".repeat(400)}"\ntype: feedback`),
    );
    expect(memory.name).toBe("eviltxt second");
    expect(memory.description.length).toBeLessThanOrEqual(LIMITS.descriptionLengthMax);
    expect(memory.warnings).toEqual([
      "line 2: name spans several lines; it takes one",
      `line 3: description is longer than ${LIMITS.descriptionLengthMax} characters`,
    ]);
  });

  it("does not cut a name inside a surrogate pair", () => {
    const { name } = parseMemory(fileOf(`name: "a${"🎉".repeat(200)}"`));
    expect(name).toMatch(/^a(?:🎉)+$/u);
  });
});

describe("faceOf", () => {
  it.each([
    ["feedback_testing.md", "feedback_testing"],
    ["ops/release notes.MD", "release notes"],
    ["世界.md", "世界"],
  ])("names %s by its file where it has no name", (key, name) => {
    expect(faceOf(key, parseMemory("no frontmatter\n"))).toEqual({ name, description: "", type: null });
  });

  it("gives the file's own name otherwise", () => {
    expect(faceOf("a.md", parseMemory(fileOf("name: N\ndescription: D\ntype: project")))).toEqual({
      name: "N",
      description: "D",
      type: "project",
    });
  });
});

/** Failure case 29: still listed, with a fallback name and a warning; bounded parsing. */
describe("frontmatter that is not what YAML wants", () => {
  it.each([
    {
      name: "description: a: b",
      text: fileOf("name: N\ndescription: a: b\ntype: feedback"),
      reads: { name: "N", description: "a: b", type: "feedback" },
      warnings: ["line 3: description has a colon in its value; put the value in quotes"],
    },
    {
      name: "a value that starts with a backquote",
      text: fileOf("name: N\ndescription: `npm ci` first\nmetadata:\n  type: feedback"),
      reads: { name: "N", description: "`npm ci` first", type: "feedback" },
      warnings: ["line 3: description starts with a character that YAML reserves; put the value in quotes"],
    },
    {
      name: "a quote that never closes",
      text: fileOf("name: 'N\ndescription: D\ntype: feedback"),
      reads: { name: "'N", description: "D", type: "feedback" },
    },
    {
      name: "a tab between key and value",
      text: fileOf("name:\tN\ndescription:\tD\ntype:\tfeedback"),
      reads: { name: "N", description: "D", type: "feedback" },
      warnings: [],
    },
    {
      name: "a tab before a key",
      text: fileOf("name: N\n\tdescription: D\ntype: feedback"),
      reads: { name: "N", description: "D", type: "feedback" },
    },
    {
      name: "tabs below metadata",
      text: fileOf("name: N\ndescription: D\nmetadata:\n\ttype: feedback"),
      reads: { name: "N", description: "D", type: "feedback" },
      warnings: ["line 5: metadata is indented with a tab; YAML takes spaces only"],
    },
    {
      name: "double keys",
      text: fileOf("name: N\ndescription: first\ndescription: second\ntype: feedback"),
      reads: { name: "N", description: "second", type: "feedback" },
      warnings: ["line 4: description is given twice; the last one counts"],
    },
    {
      name: "name: no",
      text: fileOf("name: no\ndescription: yes\ntype: feedback"),
      reads: { name: "no", description: "yes", type: "feedback" },
      warnings: [],
    },
    {
      name: "dates",
      text: fileOf("name: 2026-03-05\ndescription: 2026-03-05 10:00:00\ntype: project"),
      reads: { name: "2026-03-05", description: "2026-03-05 10:00:00" },
      warnings: [],
    },
    {
      name: "numbers",
      text: fileOf("name: 1e3\ndescription: 0x10\ntype: project"),
      reads: { name: "1e3", description: "0x10" },
      warnings: [],
    },
    {
      name: "null in all its spellings",
      text: fileOf("name: null\ndescription: ~\ntype:"),
      reads: { name: "null", description: "~", type: null },
    },
    { name: "no closing ---", text: "---\nname: N\ndescription: D\n", reads: { name: null, hasFrontmatter: false } },
    { name: "an empty name", text: fileOf('name: ""\ndescription: D\ntype: feedback'), reads: { name: null } },
    {
      name: "a name that is a list",
      text: fileOf("name: [a, b]\ndescription: D\ntype: feedback"),
      reads: { name: null },
    },
    {
      name: "a name that cannot be seen",
      text: fileOf('name: "\\u200b"\ndescription: D\ntype: feedback'),
      reads: { name: null },
    },
    { name: "a list instead of fields", text: fileOf("- a\n- b"), reads: { name: null, hasFrontmatter: true } },
    { name: "text instead of fields", text: fileOf("hello"), reads: { name: null, hasFrontmatter: true } },
    { name: "nothing but comments", text: fileOf("# name: N"), reads: { name: null, hasFrontmatter: true } },
    { name: "nothing at all", text: "---\n---\nbody\n", reads: { name: null, hasFrontmatter: true, body: "body\n" } },
    {
      name: "a tag that makes an object",
      text: fileOf("name: !!js/function 'x'\ndescription: !!binary aGk=\ntype: !t feedback"),
      reads: { name: "x", description: "aGk=", type: "feedback" },
      warnings: [],
    },
    { name: "a merge key", text: fileOf("<<: {name: M}\ndescription: D\ntype: feedback"), reads: { name: null } },
    {
      name: "an alias",
      text: fileOf("a: &a N\nname: *a\ndescription: D\ntype: feedback"),
      reads: { name: null, description: "D" },
    },
    {
      name: "an alias to itself",
      text: fileOf("a: &a [*a]\nname: N\ndescription: D\ntype: feedback"),
      reads: { name: "N" },
    },
    {
      name: "a second document",
      text: fileOf("name: N\n--- x\ndescription: D\ntype: feedback"),
      reads: { name: "N", description: "D" },
    },
    {
      name: "a directive",
      text: fileOf("%YAML 1.1\nname: N\ndescription: D\ntype: feedback"),
      reads: { name: "N", description: "D" },
    },
    {
      name: "an explicit key",
      text: fileOf("? name\n: N\ndescription: D\ntype: feedback"),
      reads: { name: null, description: "D" },
    },
  ])("reads what it can: $name", ({ text, reads, warnings }) => {
    const memory = parseMemory(text);
    expect(memory).toMatchObject(reads);
    if (warnings === undefined) expect(memory.warnings).not.toEqual([]);
    else expect(memory.warnings).toEqual(warnings);
  });

  it.each([
    { name: "a value of a megabyte", text: fileOf(`name: N\ndescription: ${"x".repeat(1024 * 1024)}`) },
    { name: "a megabyte of fields", text: fileOf("a: b\n".repeat(200_000)) },
    { name: "an alias bomb", text: fileOf(bombOf(9)) },
    { name: "an alias bomb that fits the cap", text: fileOf(bombOf(6)) },
    { name: "brackets nested deep", text: fileOf(`name: N\na: ${"[".repeat(8_000)}`) },
    { name: "brackets nested deep and closed", text: fileOf(`name: N\na: ${"[".repeat(4_000)}${"]".repeat(4_000)}`) },
    { name: "maps nested deep", text: fileOf(`name: N\na: ${"{a: ".repeat(2_000)}`) },
    { name: "lists nested deep", text: fileOf(`name: N\na:\n  ${"- ".repeat(4_000)}x`) },
    { name: "values nested deep", text: fileOf(`name: N\n${"a: ".repeat(2_700)}x`) },
    { name: "explicit keys in a row", text: fileOf(`name: N\n${"? ".repeat(4_000)}`) },
    { name: "explicit keys in a row, line by line", text: fileOf(`name: N\n${"? ?\n".repeat(380)}`) },
    { name: "nothing but closing brackets", text: fileOf(`name: N\na: ${"] ".repeat(4_000)}`) },
    { name: "nothing but empty lines", text: fileOf(`name: N${"\n".repeat(8_000)}`) },
    { name: "nothing but spaces", text: fileOf(`name: N\n${" ".repeat(8_000)}`) },
    { name: "nothing but quotes", text: fileOf(`name: N\na: ${'"'.repeat(8_000)}`) },
    { name: "anchors in a row", text: fileOf(`name: N\na: ${"&a ".repeat(2_600)}`) },
  ])("answers at once: $name", ({ text }) => {
    const started = performance.now();
    const memory = parseMemory(text);
    expect(performance.now() - started).toBeLessThan(1_500);
    expect(memory.warnings).not.toEqual([]);
    expect(memory.warnings.length).toBeLessThanOrEqual(LIMITS.problemsPerMemoryMax);
    expect([null, "N"]).toContain(memory.name);
    expect(faceOf("a/topic.md", memory).name).toMatch(/^(?:topic|N)$/);
  });

  it("parses frontmatter at its bound and not beyond", () => {
    const frontmatter = `name: N\nx: ${"y".repeat(LIMITS.frontmatterSizeBytesMax - "name: N\nx: \n".length)}`;
    expect(parseMemory(fileOf(frontmatter)).name).toBe("N");
    expect(parseMemory(fileOf(`${frontmatter}y`))).toMatchObject({
      name: null,
      body: "The rule.\n",
      hasFrontmatter: false,
    });
  });

  it.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__"])(
    "treats the key %s as any other",
    (key) => {
      const { frontmatter, name } = parseMemory(
        fileOf(
          `${key}: {polluted: yes}\nname: N\ndescription: D\nmetadata:\n  ${key}: {polluted: yes}\n  type: feedback`,
        ),
      );
      expect(frontmatter.get(key)).toEqual(new Map([["polluted", "yes"]]));
      expect(name).toBe("N");
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    },
  );

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "---\nname: [\n---\n"])(
    "reads the text %j the same every time",
    (text) => {
      const first = parseMemory(text);
      expect(parseMemory(text)).toEqual(first);
      expect(first.warnings).not.toEqual([]);
    },
  );

  it("never throws and never answers with memory text in a warning", () => {
    const piece = fc.constantFrom(
      "---",
      "---\n",
      "name: ",
      "type: user",
      "a: b",
      ": ",
      "- ",
      "? ",
      "[",
      "{",
      "]",
      "}",
      "'",
      '"',
      "\n",
      "\n  ",
      "\t",
      "&a ",
      "*a",
      "!t ",
      "|\n",
      ">",
      "#",
      "%",
      "\0",
      "\ud800",
      "\r\n",
      "\ufeff",
      "SECRET",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const memory = parseMemory(`---\n${pieces.join("")}\n---\n`);
        expect(memory.warnings.join()).not.toContain("SECRET");
        expect(memory.name ?? "x").not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 400 },
    );
  });
});

function bombOf(levels: number): string {
  const lines = Array.from({ length: levels }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}*a${i}]`);
  return ["name: N", "a0: &a0 x", ...lines].join("\n");
}

/** Failure case 28, as far as reading goes: the bytes have become text by now. */
describe("files in other shapes than ours", () => {
  const reads = { name: "N", description: "D", type: "feedback", body: "body\n", warnings: [] };
  it.each([
    ["CRLF", "---\r\nname: N\r\ndescription: D\r\ntype: feedback\r\n---\r\nbody\r\n"],
    ["lone CR", "---\rname: N\rdescription: D\rtype: feedback\r---\rbody\r"],
    ["a BOM", "\ufeff---\nname: N\ndescription: D\ntype: feedback\n---\nbody\n"],
    ["two BOMs and CRLF", "\ufeff\ufeff---\r\nname: N\r\ndescription: D\r\ntype: feedback\r\n---\r\nbody\r\n"],
  ])("reads %s as it reads LF", (_what, text) => expect(parseMemory(text)).toMatchObject(reads));

  it("lists an empty file", () => {
    const memory = parseMemory("");
    expect(memory).toMatchObject({ name: null, description: "", type: null, body: "", hasFrontmatter: false });
    expect(faceOf("a.md", memory).name).toBe("a");
    expect(memory.warnings).toHaveLength(1);
  });
});
