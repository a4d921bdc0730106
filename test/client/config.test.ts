import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { isYes, readEnvironment, toClientEnvironment, type Variables } from "../../client/config.ts";

const read = (variables: Variables) => toClientEnvironment(variables, { platform: "linux", home: "/home/ada" });

describe("toClientEnvironment", () => {
  it("has its own folders below the home folder", () => {
    expect(read({})).toMatchObject({
      home: "/home/ada",
      configDir: "/home/ada/.config/team-memory",
      stateDir: "/home/ada/.local/state/team-memory",
      dataDir: "/home/ada/.local/share/team-memory",
      disabled: false,
      insecure: false,
      claude: {
        configDir: "/home/ada/.claude",
        managedDir: "/etc/claude-code",
        projectDir: null,
        projectDirName: null,
        memoryPathOverride: null,
        remoteMemoryDir: null,
        autoMemory: null,
        bareBy: null,
        remote: false,
      },
    });
  });

  it("takes absolute base folders, and passes over relative and empty ones", () => {
    expect(read({ XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_DATA_HOME: "/d" })).toMatchObject({
      configDir: "/c/team-memory",
      stateDir: "/s/team-memory",
      dataDir: "/d/team-memory",
    });
    expect(read({ XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "" })).toMatchObject({
      configDir: "/home/ada/.config/team-memory",
      stateDir: "/home/ada/.local/state/team-memory",
    });
  });

  it.each([
    ["darwin", "/Library/Application Support/ClaudeCode"],
    ["linux", "/etc/claude-code"],
    ["win32", "C:\\Program Files\\ClaudeCode"],
  ] as const)("knows the administrator's folder on %s", (platform, managedDir) => {
    expect(toClientEnvironment({}, { platform, home: "/home/ada" }).claude.managedDir).toBe(managedDir);
  });

  it("keeps state and client apart on Windows", () => {
    const env = toClientEnvironment({ APPDATA: "/r", LOCALAPPDATA: "/l" }, { platform: "win32", home: "/h" });
    expect(env).toMatchObject({
      configDir: "/r/team-memory",
      stateDir: "/l/team-memory/state",
      dataDir: "/l/team-memory/data",
    });
  });

  it("gives a git child what finds the user's settings, and nothing that steers git", () => {
    const { forGit } = read({
      PATH: "/bin",
      HOME: "/home/ada",
      GIT_DIR: "/evil",
      GIT_CONFIG_GLOBAL: "/evil",
      FOO: "1",
    });
    expect(forGit).toEqual({ PATH: "/bin", HOME: "/home/ada" });
  });
});

describe("readEnvironment", () => {
  it("reads this process", () => {
    expect(readEnvironment()).toMatchObject({ home: homedir(), platform: process.platform });
  });
});

describe("isYes", () => {
  it.each(["1", "true", "TRUE", " yes ", "on"])("takes %j", (value) => expect(isYes(value)).toBe(true));
  it.each(["0", "", "false", "2", "enabled", undefined])("does not take %j", (value) =>
    expect(isYes(value)).toBe(false),
  );
});
