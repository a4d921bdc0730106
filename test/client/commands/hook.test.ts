import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { run } from "../../support/run.ts";
import { tempDir } from "../../support/temp-dir.ts";

const MAIN = fileURLToPath(new URL("../../../client/main.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

describe("hook, called in a way that this version does not know", () => {
  it.each([
    ["an event of tomorrow", ["tomorrow"], "No such event: tomorrow"],
    ["a name that objects have", ["constructor"], "No such event: constructor"],
    ["a flag of tomorrow", ["session-start", "--tomorrow"], "No such flag: --tomorrow"],
    ["no event", [], "Missing for hook: EVENT"],
  ])("%s: says so on standard error, and stops no host", async (_, words, message) => {
    const { code, stdout, stderr } = await callHook(words);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain(`team-memory: ${message} (usage)\n`);
  });

  // The program gives its child a terminal, and ends as it does.
  it.skipIf(process.platform !== "linux")("is wrong use to a person at a terminal", async () => {
    const home = await tempDir();
    const line = [process.execPath, ...ARGS, "tomorrow"].join(" ");
    const { code, stdout } = await run("script", ["-qec", line, "/dev/null"], {
      cwd: home,
      env: { ...PATHS, HOME: home },
    });
    expect(code).toBe(2);
    expect(stdout).toContain("No such event: tomorrow (usage)");
  });
});

const PATHS = { PATH: process.env["PATH"] ?? "" };
const ARGS = ["--import", TSX, MAIN, "hook"];

async function callHook(words: readonly string[]) {
  const home = await tempDir();
  const args = [...ARGS, ...words];
  return await run(process.execPath, args, { cwd: home, env: { HOME: home }, input: "{}" });
}
