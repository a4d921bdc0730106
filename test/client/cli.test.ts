import { describe, expect, it } from "vitest";
import { COMMANDS, helpText, parseCall } from "../../client/cli.ts";
import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";

describe("parseCall", () => {
  it.each([
    { line: "", message: "No command was given", usage: helpText() },
    { line: "--json", message: "No command was given", usage: helpText() },
    { line: "frobnicate", message: "No such command: frobnicate", usage: "All of them: team-memory help" },
    {
      line: "stauts",
      message: "No such command: stauts",
      usage: "Did you mean status? All of them: team-memory help",
    },
    {
      line: "leave --al",
      message: "No such flag: --al. Did you mean --all?",
      usage: "team-memory leave [--project NAME | --all] [--json]",
    },
    { line: "rm", message: "Missing for rm: KEY", usage: "team-memory rm KEY [--json]" },
    { line: "rm a.md b.md", message: "Too many arguments for rm: 2", usage: "team-memory rm KEY [--json]" },
    {
      line: "hook",
      message: "Missing for hook: EVENT",
      usage: "team-memory hook session-start|pre-tool-use|stop|session-end [--part 1|2] [--json]",
    },
    { line: "sync --json=yes", message: "--json takes no value", usage: "team-memory sync [--json]" },
    {
      line: "leave --project",
      message: "--project needs a value: NAME",
      usage: "team-memory leave [--project NAME | --all] [--json]",
    },
    {
      line: "leave --project --all",
      message: "--project needs a value: NAME",
      usage: "team-memory leave [--project NAME | --all] [--json]",
    },
    { line: "sync --fast", message: "No such flag: --fast", usage: "team-memory sync [--json]" },
  ])("refuses '$line' as wrong use, with how it is used", ({ line, message, usage }) => {
    const words = line.split(" ").filter((word) => word !== "");
    expect(failureOf(() => parseCall(words))).toMatchObject({ code: "usage", message, details: { usage } });
  });

  it("asks nothing of a call for help", () => {
    expect(parseCall(["rm", "--help"]).values["help"]).toBe(true);
  });
});

describe("helpText", () => {
  it("names every command, and the flags of all of them", () => {
    const help = helpText();
    for (const { name, summary } of COMMANDS)
      expect(help).toMatch(new RegExp(`^  ${name} +${escapeRegExp(summary)}$`, "m"));
    for (const flag of ["--json", "-h, --help", "-v, --version"])
      expect(help).toMatch(new RegExp(`^  ${flag} +\\S`, "m"));
  });

  it.each(COMMANDS)("of $name has a line for each flag that is parsed, and its usage names the same", (row) => {
    const lines = [...helpText(row).matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)(?: [A-Z1a-z|2]+)? {2,}\S.*$/gm)].map(
      ([, flag]) => flag,
    );
    const own = Object.keys(row.flags).map((name) => `--${name}`);
    expect(lines).toEqual([...own, "--json", "--help"]);
    expect([...row.usage.matchAll(/--[a-z-]+/g)].map(([flag]) => flag).sort()).toEqual([...own].sort());
  });

  it.each(COMMANDS)("of $name names each value as its usage does", ({ usage, flags }) => {
    for (const [name, { value }] of Object.entries(flags)) {
      const shown = new RegExp(`--${name}(?: ([^\\]\\s)]+))?(?=[\\])\\s]|$)`).exec(usage)?.[1];
      expect(shown === "|" ? undefined : shown).toBe(value);
    }
  });
});

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function failureOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (isTeamMemoryError(error)) return error;
    throw error;
  }
}
