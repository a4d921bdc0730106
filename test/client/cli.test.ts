import { describe, expect, it } from "vitest";
import { helpText, parseCall } from "../../client/cli.ts";
import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";

describe("parseCall", () => {
  it.each([
    { line: "", message: "No command was given", usage: helpText() },
    { line: "--json", message: "No command was given", usage: helpText() },
    { line: "frobnicate", message: "No such command: frobnicate", usage: helpText() },
    { line: "rm", message: "Too few arguments for rm: 0", usage: "team-memory rm KEY [--json]" },
    { line: "rm a.md b.md", message: "Too many arguments for rm: 2", usage: "team-memory rm KEY [--json]" },
    { line: "sync --fast", message: "Unknown option '--fast'", usage: "team-memory sync [--json]" },
  ])("refuses '$line' as wrong use, with how it is used", ({ line, message, usage }) => {
    const words = line.split(" ").filter((word) => word !== "");
    expect(failureOf(() => parseCall(words))).toMatchObject({ code: "usage", message, details: { usage } });
  });

  it("asks nothing of a call for help", () => {
    expect(parseCall(["rm", "--help"]).values["help"]).toBe(true);
  });
});

function failureOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (isTeamMemoryError(error)) return error;
    throw error;
  }
}
