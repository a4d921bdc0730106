import { describe, expect, it } from "vitest";
import { escapeForTerminal, escapeJson } from "../../client/escape-for-terminal.ts";

const HOSTILE: readonly (readonly [string, number])[] = [
  ["a line break", 0x0a],
  ["a carriage return", 0x0d],
  ["an escape", 0x1b],
  ["a bell", 0x07],
  ["a C1 control sequence introducer", 0x9b],
  ["delete", 0x7f],
  ["a soft hyphen", 0xad],
  ["a combining grapheme joiner", 0x34f],
  ["an Arabic letter mark", 0x61c],
  ["a Hangul filler", 0x115f],
  ["a Mongolian vowel separator", 0x180e],
  ["a zero-width space", 0x200b],
  ["a line separator", 0x2028],
  ["a bidi override", 0x202e],
  ["a bidi isolate", 0x2066],
  ["a word joiner", 0x2060],
  ["a Braille blank", 0x2800],
  ["a stray variation selector", 0xfe0f],
  ["a byte order mark", 0xfeff],
  ["an interlinear annotation anchor", 0xfff9],
  ["a shorthand format control", 0x1bca0],
  ["a musical format control", 0x1d173],
  ["a language tag", 0xe0001],
  ["a tag letter", 0xe0041],
  ["a supplementary variation selector", 0xe0100],
];

describe("escapeForTerminal", () => {
  it.each(HOSTILE)("spells out %s", (_, point) => {
    expect(escapeForTerminal(`a${String.fromCodePoint(point)}b`)).toBe(`a\\u{${point.toString(16)}}b`);
  });

  it("spells out half a character", () => {
    expect(escapeForTerminal("a\ud800b")).toBe("a\\u{d800}b");
  });

  it.each(["plain", "col\tumn", "naïve 世界 हिन्दी", "👩‍💻.md ⚠️.md 1️⃣.md", "می‌خواهم", "C:\\path\\u{41}", ""])(
    "leaves what people write: %s",
    (line) => expect(escapeForTerminal(line)).toBe(line),
  );
});

describe("escapeJson", () => {
  it.each(HOSTILE)("spells out %s, and the data stays", (_, point) => {
    const data = { text: `a${String.fromCodePoint(point)}b` };
    const json = escapeJson(JSON.stringify(data));
    expect(json).not.toContain(String.fromCodePoint(point));
    expect(JSON.parse(json)).toEqual(data);
  });
});
