import { describe, expect, it } from "vitest";
import { parseCall } from "../../server/cli.ts";
import { COMMANDS } from "../../server/command-rows.ts";
import { helpText } from "../../server/help-text.ts";
import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";

const TOKEN_USAGE = "team-memory-server token create | list | revoke ID [FLAGS]";

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
    [["token", "revoke"], "Missing for token: ID", TOKEN_USAGE],
    [["token", "list", "ID"], "Too many arguments for token: 2", TOKEN_USAGE],
    [
      ["token", "lsit"],
      "No such token command: lsit",
      "Did you mean list? Its right use: team-memory-server token --help",
    ],
    [["token", "x"], "No such token command: x", "Its right use: team-memory-server token --help"],
    [["backup", "a", "b"], "Too many arguments for backup: 2", "team-memory-server backup FILE [FLAGS]"],
    [["serve", "now"], "Too many arguments for serve: 1", "team-memory-server serve [FLAGS]"],
    [
      ["serve", "--prot", "1"],
      "No such flag: --prot",
      "Did you mean --port? Its right use: team-memory-server serve --help",
    ],
    [["serve", "--loud"], "No such flag: --loud", "Its right use: team-memory-server serve --help"],
    [["serve", "-x"], "No such flag: -x", "Its right use: team-memory-server serve --help"],
    [["serve", "--port"], "--port needs a value: PORT", "team-memory-server serve [FLAGS]"],
    [["serve", "--port", "--json"], "--port needs a value: PORT", "team-memory-server serve [FLAGS]"],
    [["backup", "a", "--force=1"], "--force takes no value", "team-memory-server backup FILE [FLAGS]"],
    [["serve", "--help=1"], "--help takes no value", "team-memory-server serve [FLAGS]"],
    [["srve"], "No such command: srve", "Did you mean serve? All of them: team-memory-server help"],
    [["constructor"], "No such command: constructor", "All of them: team-memory-server help"],
    [["--data", "x", "serve"], "No command was given", helpText()],
    [[], "No command was given", helpText()],
  ])("refuses %j, saying what is wrong and what is right", (args, message, usage) => {
    expect(refusalOf(args)).toEqual({ code: "usage", message, usage });
  });

  it.each(COMMANDS.filter(({ actions }) => actions !== undefined))("lists what can be done with $name", (row) => {
    const { message, usage } = refusalOf([row.name]) ?? {};
    expect(message).toBe(`Say what to do with ${row.name}`);
    const lines = String(usage).split("\n");
    expect(lines.map((line) => line.trim().split(" ")[0])).toEqual(row.actions?.map(({ name }) => name));
    expect(helpText(row)).toContain(String(usage));
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
