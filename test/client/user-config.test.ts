import { chmod, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import {
  EMPTY_USER_CONFIG,
  type JoinedService,
  parseUserConfig,
  readUserConfig,
  updateUserConfig,
  userConfigPath,
} from "../../client/user-config.ts";
import { LIMITS } from "../../shared/limits.ts";
import { parseProjectName } from "../../shared/project/parse-project-name.ts";
import { tempDir } from "../support/temp-dir.ts";
import { machineAt, writeFiles } from "./memory/support.ts";

const SERVICE: JoinedService = {
  url: "https://memory.example.org",
  token: "tmt_secret",
  personId: "01J",
  name: "Ada",
  email: "ada@example.org",
  role: "reviewer",
  insecure: true,
};
const FULL = {
  format: 1,
  services: [SERVICE],
  projects: [{ project: parseProjectName("github.com/acme/shop"), service: SERVICE.url }],
  roots: [{ root: "/home/ada/notes", project: parseProjectName("notes") }],
  propose: "ask",
} as const;

describe("updateUserConfig and readUserConfig", () => {
  it("starts empty, and gives back what was written", async () => {
    const { env } = machineAt(await tempDir());
    expect(readUserConfig(env)).toEqual(EMPTY_USER_CONFIG);
    expect(await updateUserConfig(env, () => FULL)).toEqual(FULL);
    expect(readUserConfig(env)).toEqual(FULL);
  });

  it("keeps the file for its owner alone, also one that was open to others", async () => {
    const { env } = machineAt(await tempDir());
    const path = userConfigPath(env);
    await updateUserConfig(env, () => FULL);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    await chmod(path, 0o644);
    await updateUserConfig(env, (config) => ({ ...config, roots: [] }));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("keeps every one of twenty changes made at once", async () => {
    const { env } = machineAt(await tempDir());
    const names = Array.from({ length: 20 }, (_, at) => parseProjectName(`example.org/p${at}`));
    await Promise.all(
      names.map((project) =>
        updateUserConfig(env, (config) => ({ ...config, projects: [...config.projects, { project, service: "x" }] })),
      ),
    );
    expect(new Set(readUserConfig(env).projects.map(({ project }) => project))).toEqual(new Set(names));
  });

  it("changes nothing in a file that it cannot read", async () => {
    const { env } = machineAt(await tempDir());
    await writeFiles(env.configDir, { "config.json": '{"format": 1, "services": "mine"}' });
    await expect(updateUserConfig(env, () => FULL)).rejects.toMatchObject({ code: "settings_invalid" });
    expect(await readFile(userConfigPath(env), "utf8")).toBe('{"format": 1, "services": "mine"}');
  });
});

describe("parseUserConfig", () => {
  it.each<[string, unknown]>([
    ["no JSON", '{"token": "tmt_secret"'],
    ["a list", []],
    ["no format", { ...FULL, format: undefined }],
    ["another format", { ...FULL, format: 2 }],
    ["services that are no list", { ...FULL, services: {} }],
    ["too many services", { ...FULL, services: Array(LIMITS.joinedMax + 1).fill(SERVICE) }],
    ["a service without a token", { ...FULL, services: [{ ...SERVICE, token: undefined }] }],
    [
      "a token over its bound",
      { ...FULL, services: [{ ...SERVICE, token: "t".repeat(LIMITS.joinedTextLengthMax + 1) }] },
    ],
    ["another role", { ...FULL, services: [{ ...SERVICE, role: "owner" }] }],
    ["a project that is none", { ...FULL, projects: [{ project: "../x", service: "x" }] }],
    ["a root that is none", { ...FULL, roots: [{ root: 1, project: "x" }] }],
    ["another way to propose", { ...FULL, propose: "never" }],
  ])("refuses %s, and shows no token", (_, json) => {
    const text = typeof json === "string" ? json : JSON.stringify(json);
    let caught: unknown;
    try {
      parseUserConfig(text, "/c/config.json");
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ code: "settings_invalid", details: { file: "/c/config.json" } });
    expect(String(caught) + JSON.stringify(caught)).not.toContain("tmt_secret");
  });

  it("takes what is as long as the bounds", () => {
    const token = "t".repeat(LIMITS.joinedTextLengthMax);
    const json = { ...FULL, services: Array(LIMITS.joinedMax).fill({ ...SERVICE, token }) };
    expect(parseUserConfig(JSON.stringify(json), "/c").services).toHaveLength(LIMITS.joinedMax);
  });
});
