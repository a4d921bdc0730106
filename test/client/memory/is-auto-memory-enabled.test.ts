import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Variables } from "../../../client/config.ts";
import { readMachineSettings } from "../../../client/memory/claude-settings.ts";
import { findRepository } from "../../../client/memory/find-git-root.ts";
import { isAutoMemoryEnabled, isTeamMemoryEnabled } from "../../../client/memory/is-auto-memory-enabled.ts";
import { readProjectSettings } from "../../../client/memory/project-settings.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { machineAt, makeRepository, writeFiles } from "./support.ts";

type Place = "managed" | "local" | "project" | "user";
type Said = Partial<Record<Place, Readonly<Record<string, unknown>>>>;

const PATHS: Record<Place, string> = {
  managed: "managed/managed-settings.json",
  local: "shop/.claude/settings.local.json",
  project: "shop/.claude/settings.json",
  user: "home/.claude/settings.json",
};

async function decide(said: Said, variables: Variables = {}, commit = false) {
  const folder = await tempDir();
  const shop = await makeRepository(join(folder, "shop"));
  for (const place of Object.keys(said) as Place[]) await writeFiles(folder, { [PATHS[place]]: said[place] });
  if (commit) await git(shop, ["add", "--force", "."]);
  const { env } = machineAt(folder, variables);
  const sources = {
    env,
    machineSettings: readMachineSettings(env),
    projectSettings: readProjectSettings({ cwd: shop, repository: findRepository(shop) }, env),
  };
  return { auto: isAutoMemoryEnabled(sources), team: isTeamMemoryEnabled(sources) };
}

const ON = { autoMemoryEnabled: true };
const OFF = { autoMemoryEnabled: false };

describe("isAutoMemoryEnabled: variables", () => {
  it.each([
    ["nothing", {}, true],
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }, false],
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY=true", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "TRUE" }, false],
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY=0", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "0" }, true],
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY empty", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "" }, true],
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY of another word", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "maybe" }, true],
    ["CLAUDE_CODE_SIMPLE=1", { CLAUDE_CODE_SIMPLE: "1" }, false],
    ["CLAUDE_CODE_SAFE_MODE=1", { CLAUDE_CODE_SAFE_MODE: "1" }, false],
    ["0 over a bare session", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "0", CLAUDE_CODE_SIMPLE: "1" }, true],
    ["a remote session", { CLAUDE_CODE_REMOTE: "true" }, false],
    ["a remote one that lasts", { CLAUDE_CODE_REMOTE: "true", CLAUDE_CODE_REMOTE_MEMORY_DIR: "/mount" }, true],
    ["0 over a remote session", { CLAUDE_CODE_REMOTE: "true", CLAUDE_CODE_DISABLE_AUTO_MEMORY: "0" }, true],
  ])("with %s", async (_, variables, expected) => {
    expect((await decide({}, variables)).auto.on).toBe(expected);
  });

  it("0 counts over the user's settings, 1 over a setting that says on", async () => {
    expect((await decide({ user: OFF }, { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "0" })).auto.on).toBe(true);
    expect((await decide({ user: ON }, { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" })).auto.on).toBe(false);
  });

  it("a setting cannot switch a bare session on", async () => {
    expect((await decide({ managed: ON, user: ON }, { CLAUDE_CODE_SIMPLE: "1" })).auto.on).toBe(false);
  });
});

describe("isAutoMemoryEnabled: settings", () => {
  it.each<[string, Said, boolean]>([
    ["the user's off", { user: OFF }, false],
    ["the user's on", { user: ON }, true],
    ["a word instead of a switch", { user: { autoMemoryEnabled: "false" } }, true],
    ["the administrator's off over all", { managed: OFF, local: ON, project: ON, user: ON }, false],
    ["the administrator's on over all", { managed: ON, local: OFF, project: OFF, user: OFF }, true],
    ["the developer's own on over the project and the user", { local: ON, project: OFF, user: OFF }, true],
    ["the developer's own off over the user", { local: OFF, user: ON }, false],
    ["the project's off over the user", { project: OFF, user: ON }, false],
    ["the project's on, with no other word", { project: ON }, true],
    ["the project's on never over the user's off", { project: ON, user: OFF }, false],
  ])("takes %s", async (_, said, expected) => {
    expect((await decide(said)).auto.on).toBe(expected);
  });

  it("takes a committed local file for the project's: it can switch off, not on", async () => {
    expect((await decide({ local: ON, user: OFF }, {}, true)).auto.on).toBe(false);
    expect((await decide({ local: OFF, user: ON }, {}, true)).auto.on).toBe(false);
  });

  it.each([
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"],
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY", true],
    ["TEAM_MEMORY_DISABLE", "1"],
  ])("honours a project whose env sets %s to %j, also where a command does not inherit it", async (name, value) => {
    const { auto } = await decide({ project: { env: { [name]: value } } });
    expect(auto).toEqual({ on: false, why: expect.stringContaining(`${name} is set in`) });
  });

  it("says what switched it off", async () => {
    expect((await decide({ user: OFF })).auto).toEqual({
      on: false,
      why: expect.stringMatching(/^autoMemoryEnabled is false in .*home\/\.claude\/settings\.json$/),
    });
  });
});

describe("isTeamMemoryEnabled", () => {
  it("needs auto memory on and its own switch on", async () => {
    expect((await decide({})).team.on).toBe(true);
    expect((await decide({}, { CLAUDE_CODE_SIMPLE: "1" })).team.on).toBe(false);
    const { auto, team } = await decide({}, { TEAM_MEMORY_DISABLE: "1", CLAUDE_CODE_DISABLE_AUTO_MEMORY: "0" });
    expect(auto.on).toBe(true);
    expect(team).toEqual({ on: false, why: "TEAM_MEMORY_DISABLE is set" });
  });
});
