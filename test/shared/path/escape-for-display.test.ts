import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { escapeForDisplay } from "../../../shared/path/escape-for-display.ts";

describe("escapeForDisplay", () => {
  it.each([
    "feedback_c++.md",
    "Team Meeting Notes (1).md",
    "résumé/日本語/한국어/हिन्दी/ไทย/עברית.md",
    "🚀 launch 42.md",
    "",
  ])("leaves %j as it is", (text) => {
    expect(escapeForDisplay(text)).toBe(text);
  });

  it.each([
    { name: "a backslash", text: "a\\u{2e}", shown: "a\\\\u{2e}" },
    { name: "a terminal escape", text: "\u001b[31mred", shown: "\\u{1b}[31mred" },
    { name: "a line end", text: "a\r\nb", shown: "a\\u{d}\\u{a}b" },
    { name: "a bidi override", text: "gpj.\u202edm", shown: "gpj.\\u{202e}dm" },
    { name: "a joiner", text: "a\u200db", shown: "a\\u{200d}b" },
    { name: "a slash look-alike", text: "a\u2215b", shown: "a\\u{2215}b" },
    { name: "a fullwidth letter", text: "\uff21", shown: "\\u{ff21}" },
    { name: "an overlay", text: "a\u0338", shown: "a\\u{338}" },
    { name: "a letter that has no ink", text: "\u3164\u{13441}", shown: "\\u{3164}\\u{13441}" },
    { name: "a lone surrogate", text: "\ud83d", shown: "\\u{d83d}" },
    { name: "a space that is none", text: "a\u00a0b", shown: "a\\u{a0}b" },
    { name: "an unassigned pictograph", text: "\u{1f1ae}", shown: "\\u{1f1ae}" },
    { name: "a private-use character", text: "\u{10fffd}", shown: "\\u{10fffd}" },
  ])("escapes $name", ({ text, shown }) => {
    expect(escapeForDisplay(text)).toBe(shown);
  });

  const max = LIMITS.displayLengthMax;
  it.each([
    { name: "text at the bound", text: "a".repeat(max), shown: "a".repeat(max) },
    { name: "text over it", text: "a".repeat(max + 1), shown: `${"a".repeat(max - 3)}...` },
    { name: "text far over it", text: "a".repeat(10_000_000), shown: `${"a".repeat(max - 3)}...` },
    { name: "escapes", text: "\0".repeat(max), shown: `${"\\u{0}".repeat(39)}...` },
    { name: "emoji", text: "🚀".repeat(max), shown: `${"🚀".repeat(98)}...` },
  ])("cuts between characters: $name", ({ text, shown }) => {
    expect(escapeForDisplay(text)).toBe(shown);
  });
});
