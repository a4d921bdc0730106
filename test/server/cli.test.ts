import { describe, expect, it } from "vitest";
import { COMMANDS, helpText, parseCall } from "../../server/cli.ts";
import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";

describe("helpText", () => {
  it.each(COMMANDS)("of $name has a line for each flag that it takes, and for no other", (row) => {
    const listed = [...helpText(row).matchAll(/^ {2}(?:-\w, )?--([a-z-]+)( [A-Z]+)?(?: \.\.\.)? {2,}\S/gm)];
    const taken = Object.entries(row.flags).map(([flag, { type }]) => [flag, type]);
    const COMMON = [
      ["json", "boolean"],
      ["help", "boolean"],
    ];
    const shown = listed.map(([, flag, value]) => [flag, value === undefined ? "boolean" : "string"]);
    expect(shown).toEqual([...taken, ...COMMON]);
  });

  it.each(COMMANDS)("of $name is asked for without its arguments", ({ name }) => {
    expect(parseCall([name, "--help"]).values).toMatchObject({ help: true });
  });

  it("has a line for each command", () => {
    expect([...helpText().matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)).toEqual(
      COMMANDS.map(({ name }) => name),
    );
  });
});

describe("parseCall", () => {
  it.each([
    [["backup"], "Missing for backup: FILE", "team-memory-server backup FILE [FLAGS]"],
    [["restore"], "Missing for restore: FILE and --data", "team-memory-server restore FILE --data DIR [FLAGS]"],
    [["restore", "a.tar"], "Missing for restore: --data", "team-memory-server restore FILE --data DIR [FLAGS]"],
    [["token"], "Missing for token: ACTION", "team-memory-server token ACTION [ID] [FLAGS]"],
    [["backup", "a", "b"], "Too many arguments for backup: 2", "team-memory-server backup FILE [FLAGS]"],
    [["serve", "now"], "Too many arguments for serve: 1", "team-memory-server serve [FLAGS]"],
    [["serve", "--loud"], "Unknown option '--loud'", "team-memory-server serve [FLAGS]"],
    [["serve", "--port"], "Option '--port <value>' argument missing", "team-memory-server serve [FLAGS]"],
    [["constructor"], "No such command: constructor", helpText()],
    [[], "No command was given", helpText()],
  ])("refuses %j, saying what is wrong and what is right", (args, message, usage) => {
    expect(refusalOf(args)).toEqual({ code: "usage", message, usage });
  });

  it.each([
    [["restore", "a.tar", "--data", "new"], ["a.tar"]],
    [
      ["token", "revoke", "ID"],
      ["revoke", "ID"],
    ],
    [["invite", "--project", "a/b", "--project", "c/d"], []],
  ])("takes %j", (args, positionals) => {
    expect(parseCall(args).positionals).toEqual(positionals);
  });
});

function refusalOf(args: readonly string[]) {
  try {
    parseCall(args);
  } catch (error) {
    if (isTeamMemoryError(error)) return { code: error.code, message: error.message, usage: error.details["usage"] };
    throw error;
  }
  return null;
}
