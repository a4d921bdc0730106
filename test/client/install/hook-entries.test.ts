import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildHookEntries, isOwnHandler } from "../../../client/install/hook-entries.ts";
import { tempDir } from "../../support/temp-dir.ts";

const commandFor = (platform: NodeJS.Platform, node: string, client: string) =>
  buildHookEntries({ platform, node, client }).SessionStart[0]?.hooks[0].command;

describe("buildHookEntries", () => {
  it("gives each event its entries, with matchers where the host has them and time limits in seconds", () => {
    const entry = (rest: string, matcher?: string) => ({
      ...(matcher === undefined ? {} : { matcher }),
      hooks: [{ type: "command", command: `/usr/bin/node /d/team-memory.cjs hook ${rest}`, timeout: 10 }],
    });
    expect(buildHookEntries({ platform: "linux", node: "/usr/bin/node", client: "/d/team-memory.cjs" })).toEqual({
      SessionStart: [entry("session-start --part 1"), entry("session-start --part 2")],
      PreToolUse: [entry("pre-tool-use", "Write|Edit|MultiEdit")],
      Stop: [entry("stop")],
      SessionEnd: [entry("session-end", "*")],
    });
  });

  it("gives what README shows", async () => {
    const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
    const shown: unknown = JSON.parse(/```json\n(.*?)```/s.exec(readme)?.[1] ?? "null");
    const hooks = buildHookEntries({ platform: "linux", node: "node", client: "team-memory.cjs" });
    expect(shown).toEqual({ hooks });
  });

  it.each(["plain", "with space", "it's", 'a"b', "a$HOME", "a`id`", "a;id", "a\\b", "*", "caf\u00e9"])(
    "survives sh in a folder named %j",
    async (name) => {
      const folder = join(await tempDir(), name);
      await mkdir(folder);
      await symlink(process.execPath, join(folder, "node"));
      await writeFile(join(folder, "team-memory.cjs"), "console.log(JSON.stringify(process.argv.slice(2)))");
      const command = commandFor("linux", join(folder, "node"), join(folder, "team-memory.cjs"));
      const printed = execFileSync("sh", ["-c", command ?? ""], { encoding: "utf8" });
      expect(JSON.parse(printed)).toEqual(["hook", "session-start", "--part", "1"]);
    },
  );

  it.each([
    ["C:\\node\\node.exe", "C:\\d\\team-memory.cjs", "C:/node/node.exe C:/d/team-memory.cjs"],
    ["C:\\Program Files\\nodejs\\node.exe", "C:\\d\\team-memory.cjs", "node C:/d/team-memory.cjs"],
    ["C:\\node\\node.exe", "C:\\Users\\A B\\team-memory.cjs", "C:/node/node.exe 'C:/Users/A B/team-memory.cjs'"],
    ["C:\\node\\node.exe", "C:\\Users\\O'Hara\\team-memory.cjs", 'C:/node/node.exe "C:/Users/O\'Hara/team-memory.cjs"'],
    ["C:\\node\\node.exe", "C:\\a,b\\team-memory.cjs", "C:/node/node.exe 'C:/a,b/team-memory.cjs'"],
  ])("on Windows means the same to bash and PowerShell: %s %s", (node, client, expected) => {
    expect(commandFor("win32", node, client)).toBe(`${expected} hook session-start --part 1`);
  });
});

describe("isOwnHandler", () => {
  it("knows every line that it builds", () => {
    for (const folder of ["/d", "/with space", "/it's"]) {
      for (const platform of ["linux", "win32"] as const) {
        const entries = buildHookEntries({ platform, node: "/bin/node", client: `${folder}/team-memory.cjs` });
        const handlers = Object.values(entries).flatMap((list) => list.flatMap(({ hooks }) => hooks));
        expect(handlers.map(isOwnHandler)).toEqual(handlers.map(() => true));
      }
    }
  });

  it.each([
    null,
    "team-memory.cjs hook session-start --part 1",
    {},
    { command: 7 },
    { command: "echo hello" },
    { command: "node /d/my-team-memory.cjs hook session-start --part 1" },
    { command: "node /d/team-memory.cjs sync" },
    { command: "node /d/team-memory.cjs hook session-start --part 1 && say hello" },
  ])("leaves %j alone", (value) => {
    expect(isOwnHandler(value)).toBe(false);
  });
});
