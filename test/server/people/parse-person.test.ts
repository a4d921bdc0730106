import { describe, expect, it } from "vitest";
import { parseEmail, parsePersonName } from "../../../server/people/parse-person.ts";

describe("parsePersonName", () => {
  it.each([
    { text: "Ana Lima", expected: "Ana Lima" },
    { text: "  Ana Lima ", expected: "Ana Lima" },
    { text: "José", expected: "José" },
    { text: "王小明", expected: "王小明" },
    { text: "O'Brien, Jr.", expected: "O'Brien, Jr." },
    { text: "x".repeat(200), expected: "x".repeat(200) },
  ])("takes $text", ({ text, expected }) => {
    expect(parsePersonName(text)).toBe(expected);
  });

  it.each([
    { name: "nothing", text: "" },
    { name: "signs alone", text: "--" },
    { name: "a second line", text: "Ana\nauthor Eve <eve@example.org>" },
    { name: "an address", text: "Ana <ana@example.org>" },
    { name: "a NUL", text: "Ana\0" },
    { name: "an escape sequence", text: "Ana\u001b[31m" },
    { name: "a bidi override", text: "Ana\u202eevE" },
    { name: "an invisible letter", text: "A\u200bna" },
    { name: "a lone surrogate", text: "Ana\ud800" },
    { name: "more than the bound", text: "x".repeat(201) },
  ])("refuses $name", ({ text }) => {
    expect(() => parsePersonName(text)).toThrow(
      expect.objectContaining({ code: "bad_request", details: { field: "name" } }),
    );
  });
});

describe("parseEmail", () => {
  it.each(["ana@example.org", "ana+memory@mail.example.org", "ana@localhost"])("takes %s", (text) => {
    expect(parseEmail(` ${text}`)).toBe(text);
  });

  it.each([
    "",
    "ana",
    "@example.org",
    "ana@",
    "a@b@c",
    "ana@example.org\nx",
    "ana <ana@example.org>",
    "a b@c",
    `${"x".repeat(320)}@y`,
  ])("refuses %j", (text) => {
    expect(() => parseEmail(text)).toThrow(
      expect.objectContaining({ code: "bad_request", details: { field: "email" } }),
    );
  });
});
