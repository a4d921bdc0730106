import { describe, expect, it } from "vitest";
import { parseWords } from "../../client/parse-words.ts";

const FLAGS = {
  reason: { value: "TEXT", help: "why" },
  all: { short: "a", help: "all of it" },
};

describe("parseWords", () => {
  it.each<[string, readonly string[], readonly string[], Record<string, unknown>]>([
    ["nothing", [], [], {}],
    [
      "words and flags in any order",
      ["show", "--all", "x", "--reason", "old"],
      ["show", "x"],
      { all: true, reason: "old" },
    ],
    ["a value behind =, a dash before it and another = in it", ["--reason=-a=b"], [], { reason: "-a=b" }],
    ["an empty value", ["--reason", ""], [], { reason: "" }],
    ["a flag by its letter", ["-a"], [], { all: true }],
    ["of two the last", ["--reason", "a", "--reason", "b"], [], { reason: "b" }],
    ["flags behind -- as words", ["--all", "--", "--reason", "-a", "--"], ["--reason", "-a", "--"], { all: true }],
    ["a dash alone as a word", ["-"], ["-"], {}],
  ])("reads %s", (_, words, positionals, values) => {
    expect(parseWords(words, FLAGS)).toEqual({ positionals, values });
  });

  it.each([
    [["--loud"], "No such flag: --loud"],
    [["--loud=secret"], "No such flag: --loud"],
    [["--constructor"], "No such flag: --constructor"],
    [["-x"], "No such flag: -x"],
    [["-ax"], "No such flag: -ax"],
    [["-undefined"], "No such flag: -undefined"],
    [["--all=yes"], "--all takes no value"],
    [["--reason"], "--reason needs a value: TEXT"],
    [["--reason", "--all"], "--reason needs a value: TEXT"],
    [["--reason", "--"], "--reason needs a value: TEXT"],
  ])("refuses %j", (words, message) => {
    expect(() => parseWords(words, FLAGS)).toThrow(new TypeError(message));
  });
});
