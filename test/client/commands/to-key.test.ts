import { describe, expect, it } from "vitest";
import { parseKey } from "../../../client/commands/to-key.ts";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { memoryText } from "../../support/memory-text.ts";
import { startWork } from "./support.ts";

describe("parseKey", () => {
  it.each([
    { said: "a.md", known: [], key: "a.md" },
    { said: "team/a.md", known: [], key: "a.md" },
    { said: "team/sub/a.md", known: ["sub/a.md"], key: "sub/a.md" },
    { said: "team/a.md", known: ["team/a.md"], key: "team/a.md" },
    { said: "team/team/a.md", known: [], key: "team/a.md" },
    { said: "teams/a.md", known: [], key: "teams/a.md" },
  ])("reads $said as $key where $known is known", ({ said, known, key }) => {
    expect(parseKey(said, (one) => known.includes(one as never))).toBe(key);
  });

  it.each([
    { said: "a", known: ["a.md"], code: "usage", hint: "Did you mean a.md?" },
    { said: "team/a", known: ["a.md"], code: "usage", hint: "Did you mean a.md?" },
    { said: "a", known: [], code: "usage", hint: expect.stringContaining(".md at the end") },
    { said: "a.txt", known: [], code: "usage", hint: expect.stringContaining(".md at the end") },
    { said: "", known: [], code: "path_traversal" },
    { said: "../a", known: [], code: "path_traversal" },
    { said: "../a.md", known: [], code: "path_traversal" },
    { said: "team/../a.md", known: [], code: "path_traversal" },
    { said: "team//etc/passwd", known: [], code: "path_traversal" },
    { said: "/etc/passwd", known: [], code: "path_traversal" },
    { said: "MEMORY.md", known: [], code: "usage", hint: expect.stringContaining("made anew") },
    { said: "memory.md", known: [], code: "usage", hint: expect.stringContaining("made anew") },
    { said: "team/MEMORY", known: [], code: "usage", hint: expect.stringContaining("made anew") },
  ])("refuses $said as $code", ({ said, known, code, hint }) => {
    const error = failureOf(() => parseKey(said, (one) => known.includes(one as never)));
    expect(error).toMatchObject({ code, ...(hint === undefined ? {} : { details: { usage: hint } }) });
  });
});

describe("commands that take a KEY", () => {
  it.each(["push", "diff", "rm", "restore", "keep-private", "conflicts show", "attic restore"])(
    "%s takes a path with team/ before it, and knows a name without its ending",
    async (command) => {
      const [dev] = await startWork({ "a.md": memoryText("A") });
      expect((await dev.call(`${command} team/a.md`)).text).not.toContain("path_traversal");
      expect((await dev.call(`${command} a`)).text).toMatch(/does not end in \.md: a \(usage\)$/);
      expect((await dev.call(`${command} ../a.md`)).text).toContain("path_traversal");
    },
  );

  it("take what is in the attic alone for a memory that is known", async () => {
    const [dev] = await startWork({ "a.md": memoryText("A") });
    await dev.write("team/own.md", memoryText("Own"));
    await dev.call("rm team/own.md");
    expect((await dev.call("restore team/own.md")).text).toContain("team/own.md");
    expect(await dev.read("team/own.md")).toContain("Own");
  });
});

function failureOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (isTeamMemoryError(error)) return { code: error.code, details: error.details };
    throw error;
  }
}
