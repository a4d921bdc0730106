import fc from "fast-check";
import { assert, describe, expect, it } from "vitest";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { parseMemory } from "../../../shared/memory/parse-memory.ts";
import { decodeMemory, toCanonical } from "../../../shared/memory/to-canonical.ts";

const PLAIN = "---\nname: N\ndescription: D\ntype: feedback\n---\n\nbody\n";

/** Failure case 28: the second sync changes nothing. */
describe("toCanonical of CRLF, BOM, no final newline, empty file", () => {
  it.each([
    ["LF", PLAIN],
    ["CRLF", PLAIN.replaceAll("\n", "\r\n")],
    ["lone CR", PLAIN.replaceAll("\n", "\r")],
    ["mixed line ends", PLAIN.replace("\n", "\r\n").replace("N\n", "N\r")],
    ["a BOM", `\ufeff${PLAIN}`],
    ["two BOMs", `\ufeff\ufeff${PLAIN}`],
    ["no final newline", PLAIN.trimEnd()],
    ["a final CR", `${PLAIN.trimEnd()}\r`],
  ])("%s gives the same text", (_what, text) => expect(toCanonical(text)).toBe(PLAIN));

  it.each([
    ["an empty file stays empty", "", ""],
    ["a BOM alone is an empty file", "\ufeff", ""],
    ["a newline stays one", "\n", "\n"],
    ["empty lines at the end stay", "a\n\n\n", "a\n\n\n"],
    ["spaces, tabs and other line separators stay", " a\t \u2028b\u0085\v\f", " a\t \u2028b\u0085\v\f\n"],
    ["a BOM inside stays", "a\ufeffb\n", "a\ufeffb\n"],
    ["NFD stays NFD", "e\u0301\n", "e\u0301\n"],
  ])("%s", (_what, text, canonical) => expect(toCanonical(text)).toBe(canonical));
});

describe("toCanonical removes originSessionId", () => {
  it.each([
    { name: "flat", from: "name: N\noriginSessionId: 0f-1\ntype: user", to: "name: N\ntype: user" },
    { name: "flat and first", from: "originSessionId: 0f\nname: N", to: "name: N" },
    { name: "flat and last", from: "name: N\noriginSessionId: 0f", to: "name: N" },
    { name: "flat without a value", from: "name: N\noriginSessionId:\ntype: user", to: "name: N\ntype: user" },
    { name: "twice", from: "originSessionId: a\nname: N\noriginSessionId: b", to: "name: N" },
    { name: "with its comment", from: "name: N\noriginSessionId: 0f # mine", to: "name: N" },
    { name: "quoted key", from: `"originSessionId": 0f\nname: N\n'originSessionId' : 1`, to: "name: N" },
    { name: "value on the next lines", from: "originSessionId:\n  0f\n\n  1\nname: N", to: "name: N" },
    { name: "block value", from: "originSessionId: |\n  0f\n  1\n\n# mine\nname: N", to: "\n# mine\nname: N" },
    { name: "list value", from: "originSessionId:\n- 0f\n- 1\nname: N", to: "name: N" },
    {
      name: "below metadata",
      from: "name: N\nmetadata:\n  type: user\n  originSessionId: 0f\n  modified: x",
      to: "name: N\nmetadata:\n  type: user\n  modified: x",
    },
    {
      name: "below metadata, four spaces, first",
      from: "metadata:\n    originSessionId: 0f\n    type: user",
      to: "metadata:\n    type: user",
    },
    {
      name: "below metadata, deeper value",
      from: "metadata:\n  originSessionId:\n    0f\n  type: user",
      to: "metadata:\n  type: user",
    },
    {
      name: "all that metadata has",
      from: "name: N\nmetadata:\n  originSessionId: 0f\ntype: user",
      to: "name: N\ntype: user",
    },
    {
      name: "all that metadata has but a comment",
      from: "metadata:\n  # c\n  originSessionId: 0f\nname: N",
      to: "  # c\nname: N",
    },
    {
      name: "in flow form, last",
      from: "metadata: { type: user, originSessionId: 0f }",
      to: "metadata: { type: user}",
    },
    {
      name: "in flow form, first",
      from: "metadata: {originSessionId: 0f, type: user} # c",
      to: "metadata: { type: user} # c",
    },
    { name: "in flow form, alone", from: "name: N\nmetadata: {originSessionId: 0f}", to: "name: N\nmetadata: {}" },
    {
      name: "in flow form over lines",
      from: "metadata: {\n  type: user,\n  originSessionId: 0f\n  }\nname: N",
      to: "metadata: {\n  type: user}\nname: N",
    },
    {
      name: "in JSON form",
      from: `{"name": "N", "originSessionId": "0f", "metadata": {"originSessionId": "1", "type": "user"}}`,
      to: `{"name": "N", "metadata": { "type": "user"}}`,
    },
    {
      name: "in flow form beside an apostrophe",
      from: "metadata: {note: it's, originSessionId: 0f, type: user}",
      to: "metadata: {note: it's, type: user}",
    },
    {
      name: "in flow form beside quotes",
      from: `metadata: {a: "x, originSessionId: y }", b: 'it''s', originSessionId: 0f}`,
      to: `metadata: {a: "x, originSessionId: y }", b: 'it''s'}`,
    },
  ])("$name", ({ from, to }) => {
    const text = `---\n${from}\n---\nbody\n`;
    const canonical = toCanonical(text);
    expect(canonical).toBe(`---\n${to === "" ? "" : `${to}\n`}---\nbody\n`);
    expect(toCanonical(canonical)).toBe(canonical);
    const before = parseMemory(text);
    const after = parseMemory(canonical);
    expect(after.type).toBe(before.type);
    expect(after.name).toBe(before.name);
    expect(after.frontmatter.has("originSessionId")).toBe(false);
    expect(JSON.stringify(after.frontmatter.get("metadata") ?? null)).not.toContain("originSessionId");
  });

  it.each([
    ["in the body", "---\nname: N\n---\noriginSessionId: 0f\n"],
    ["without frontmatter", "originSessionId: 0f\n"],
    ["in frontmatter that is never closed", "---\noriginSessionId: 0f\n"],
    ["as a value", "---\nname: originSessionId\n---\n"],
    ["as a part of another key", "---\nmyoriginSessionId: 0f\noriginSessionIds: 1\n---\n"],
    ["in a comment", "---\n# originSessionId: 0f\nname: N\n---\n"],
    ["in a block of text", "---\nrule: |\n  originSessionId: 0f\nname: N\n---\n"],
    ["below another key", "---\nother:\n  originSessionId: 0f\n---\n"],
    ["deeper below metadata", "---\nmetadata:\n  source:\n    originSessionId: 0f\n---\n"],
    ["deeper below metadata in flow form", "---\nmetadata: {metadata: {originSessionId: 0f}}\n---\n"],
    ["deeper in JSON form", '---\n{"metadata": {"metadata": {"originSessionId": "0f"}}}\n---\n'],
    ["in a flow form that never closes", "---\nmetadata: {originSessionId: 0f\n---\n"],
  ])("leaves it %s", (_where, text) => expect(toCanonical(text)).toBe(text));
});

describe("toCanonical twice", () => {
  const piece = fc.constantFrom(
    "---\n",
    "originSessionId:",
    "originSessionId: x\n",
    "  originSessionId: y\n",
    "metadata:\n",
    "metadata: {",
    "{",
    "}",
    ",",
    "[",
    "]",
    "- a\n",
    "  - b\n",
    "# c\n",
    "  # d\n",
    "\n",
    "\r",
    "\r\n",
    "\ufeff",
    " ",
    "  ",
    "\t",
    "name: N\n",
    "'",
    '"',
    "\\",
    "|\n",
    ": ",
    "type: user\n",
    "a",
  );

  it("changes nothing, and removal never touches the body", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), fc.array(piece, { maxLength: 5 }), (head, rest) => {
        const body = toCanonical(`x${rest.join("")}`);
        const text = `---\n${head.join("")}\n---\n${body}`;
        const canonical = toCanonical(text);
        expect(toCanonical(canonical)).toBe(canonical);
        expect(canonical.endsWith(body)).toBe(true);
        expect(canonical).not.toMatch(/\r|^\ufeff/);
      }),
      { numRuns: 3_000 },
    );
  });

  it("changes nothing in any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const canonical = toCanonical(text);
        return toCanonical(canonical) === canonical && (canonical === "" || canonical.endsWith("\n"));
      }),
    );
  });

  it("takes linear time, and no stack, for keys by the thousand", () => {
    const started = performance.now();
    toCanonical(`---\n${"originSessionId:\n  x\n# c\n".repeat(10_000)}---\n`);
    toCanonical(`---\nmetadata:\n${"  originSessionId: x\n\n".repeat(10_000)}---\n`);
    toCanonical(`---\nmetadata: {${"originSessionId: {".repeat(10_000)}\n---\n`);
    toCanonical(`---\n${"metadata: {originSessionId: x\n".repeat(5_000)}\n---\n`);
    toCanonical(`---\n{${"metadata: {".repeat(20_000)}originSessionId: x${"}".repeat(20_001)}\n---\n`);
    toCanonical(`---\noriginSessionId: |\n${" \n x\n".repeat(100_000)}---\n`);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

/** Failure case 28: a bad encoding is named. */
describe("decodeMemory of UTF-16, Latin-1, NUL", () => {
  it.each([
    ["UTF-8", Buffer.from(PLAIN), PLAIN],
    ["UTF-8 with a BOM", Buffer.from(`\ufeff${PLAIN}`), PLAIN],
    ["an empty file", Buffer.from(""), ""],
    ["emoji and CJK", Buffer.from("🎉 世界"), "🎉 世界"],
  ])("reads %s", (_what, bytes, text) => expect(decodeMemory(bytes)).toBe(text));

  it.each([
    {
      name: "UTF-16 with a BOM",
      bytes: Buffer.from(`\ufeff${PLAIN}`, "utf16le"),
      encoding: "utf-16le",
      line: 1,
      says: "UTF-16",
    },
    {
      name: "UTF-16 without a BOM",
      bytes: Buffer.from(PLAIN, "utf16le"),
      encoding: "utf-16le",
      line: 1,
      says: "UTF-16",
    },
    {
      name: "UTF-16, the other way round",
      bytes: Buffer.from(`\ufeff${PLAIN}`, "utf16le").swap16(),
      encoding: "utf-16be",
      line: 1,
      says: "UTF-16",
    },
    {
      name: "UTF-16, the other way round, without a BOM",
      bytes: Buffer.from(PLAIN, "utf16le").swap16(),
      encoding: "utf-16be",
      line: 1,
      says: "UTF-16",
    },
    {
      name: "Latin-1",
      bytes: Buffer.from("---\nname: Müller\n---\n", "latin1"),
      encoding: "latin-1",
      line: 2,
      says: "Latin-1",
    },
    {
      name: "Latin-1 in the last byte",
      bytes: Buffer.from("a\nb\nc\nü", "latin1"),
      encoding: "latin-1",
      line: 4,
      says: "Latin-1",
    },
    {
      name: "UTF-8 cut inside a character",
      bytes: Buffer.from("a\n世").subarray(0, 4),
      encoding: "latin-1",
      line: 2,
      says: "not UTF-8",
    },
    {
      name: "half of a surrogate pair",
      bytes: Buffer.from([0x61, 0x0a, 0xed, 0xa0, 0x80]),
      encoding: "latin-1",
      line: 2,
      says: "not UTF-8",
    },
    { name: "an overlong slash", bytes: Buffer.from([0xc0, 0xaf]), encoding: "latin-1", line: 1, says: "not UTF-8" },
    { name: "a NUL", bytes: Buffer.from("a\nb\n\0c\n"), encoding: "binary", line: 3, says: "NUL" },
  ])("names $name", ({ bytes, encoding, line, says }) => {
    try {
      decodeMemory(bytes);
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      expect(error.code).toBe("invalid_memory");
      expect(error.details).toEqual({ field: "encoding", encoding, line });
      expect(error.message).toContain(says);
      return;
    }
    assert.fail("it was read");
  });
});
