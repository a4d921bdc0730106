import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../server/config.ts";
import { rememberedPathOf, writeRemembered } from "../../server/remembered-settings.ts";
import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { tempDir } from "../support/temp-dir.ts";

const REMOTE = "https://git.example.org/team/memory.git";
const OTHER = "https://git.example.org/team/other.git";
const TOKEN = "tok-not-for-anyone";
const SECRET = "0123456789abcdef0123456789abcdef";

/** A data folder that was served so. */
async function served(flags: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) {
  const data = await tempDir();
  const config = readConfig({ data, ...flags }, environment);
  await writeRemembered(config.dataFolder, config.toRemember);
  return data;
}

describe("a data folder that was served", () => {
  it("says again what it was served with, for its owner alone, and relative paths wherever one stands", async () => {
    const given = {
      remote: REMOTE,
      "base-branch": "memory",
      "remote-token-file": "token",
      "public-url": "https://m.example.org",
    };
    const data = await served({ ...given, host: "0.0.0.0" });
    expect((await stat(rememberedPathOf(data))).mode & 0o777).toBe(0o600);
    expect(readConfig({ data }, {})).toEqual({
      ...readConfig({ ...given, data }, {}),
      host: "127.0.0.1",
      toRemember: expect.objectContaining({ "remote-token-file": resolve("token") }),
    });
  });

  it("keeps no secret, but the name of the variable that has one, which is asked for then", async () => {
    const data = await served({ remote: REMOTE }, { TEAM_MEMORY_REMOTE_TOKEN: TOKEN, TEAM_MEMORY_SECRET: SECRET });
    const text = await readFile(rememberedPathOf(data), "utf8");
    expect([text.includes(TOKEN), text.includes(SECRET)]).toEqual([false, false]);
    expect(problemsOf({ data })).toEqual([expect.stringMatching(/^TEAM_MEMORY_REMOTE_TOKEN: not set/)]);
    expect(readConfig({ data }, { TEAM_MEMORY_REMOTE_TOKEN: TOKEN }).people.remote?.token).toMatchObject({
      kind: "text",
    });
    expect(readConfig({ data, "remote-token-file": "/t" }, {}).people.remote?.token).toEqual({
      kind: "file",
      path: "/t",
    });
  });

  it.each([
    {
      name: "another token",
      flags: { "remote-askpass": "/bin/pass" },
      sees: { kind: "askpass", command: ["/bin/pass"] },
    },
    { name: "the same remote", flags: { remote: `${REMOTE}/` }, sees: { kind: "file", path: "/t" } },
    { name: "nothing", flags: {}, sees: { kind: "file", path: "/t" } },
  ])("takes $name beside what it remembers", async ({ flags, sees }) => {
    const data = await served({ remote: REMOTE, "remote-token-file": "/t" });
    expect(readConfig({ data, ...flags }, {}).people.remote).toMatchObject({ url: { url: REMOTE }, token: sees });
  });

  it.each([
    { name: "another remote", before: { remote: REMOTE }, now: { remote: OTHER } },
    { name: "another base", before: { remote: REMOTE }, now: { remote: REMOTE, "base-branch": "other" } },
    { name: "a remote in place of its own repository", before: {}, now: { remote: REMOTE } },
  ])("refuses $name, with what helps", async ({ before, now }) => {
    const data = await served(before);
    expect(problemsOf({ data, ...now })).toEqual([
      expect.stringMatching(
        /^--remote .* serves (?:https:.*base main|a repository of its own); .*--data.*settings\.json/,
      ),
    ]);
  });

  it("says of an address that is no remote only that", async () => {
    const data = await served({ remote: REMOTE });
    expect(problemsOf({ data, remote: "ext::sh -c id" })).toEqual([expect.stringMatching(/^--remote .*(?:::|blanks)/)]);
  });

  it("keeps the policy and what links say until others are given", async () => {
    const data = await served({ "review-direct": "github.com/acme/*", "public-url": "https://m.example.org" });
    expect(readConfig({ data }, {})).toMatchObject({
      publicUrl: "https://m.example.org",
      people: { direct: ["github.com/acme/*"] },
    });
    expect(readConfig({ data, review: "required", "public-url": "https://n.example.org" }, {})).toMatchObject({
      publicUrl: "https://n.example.org",
      people: { direct: [] },
    });
  });

  it("remembers a file of remotes by its path, and that people stay where they are", async () => {
    const file = join(await tempDir(), "remotes.yaml");
    const row = (name: string, url: string) => ({ name, url, projects: [`github.com/${name}/*`] });
    await writeFile(file, JSON.stringify({ remotes: [row("a", REMOTE), row("b", OTHER)] }));
    const data = await served({ config: file });
    expect(readConfig({ data }, {}).remotes.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(readConfig({ data, remote: REMOTE }, {}).remotes).toHaveLength(1);
    await writeFile(file, JSON.stringify({ remotes: [row("b", OTHER), row("a", REMOTE)] }));
    expect(problemsOf({ data })).toEqual([expect.stringMatching(/^--config .* serves https:.*memory\.git/)]);
    await writeFile(file, JSON.stringify({ remotes: [row("b", OTHER), { ...row("a", REMOTE), people: true }] }));
    expect(readConfig({ data }, {}).people.name).toBe("a");
  });

  it.each([
    { name: "no JSON", text: "{", problem: /settings\.json: it is no JSON$/ },
    { name: "a newer format", text: '{"format":2,"remote":null}', problem: /settings\.json: format: / },
    {
      name: "a token",
      text: `{"format":1,"remote":null,"remote-token":"${TOKEN}"}`,
      problem: /settings\.json: .*remote-token/,
    },
  ])("refuses a file that holds $name, and does not repeat it", async ({ text, problem }) => {
    const data = await tempDir();
    await writeFile(rememberedPathOf(data), text);
    const problems = problemsOf({ data });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain(TOKEN);
  });

  it("says that the file cannot be read where a folder stands in its place", async () => {
    const data = await tempDir();
    await mkdir(rememberedPathOf(data));
    expect(problemsOf({ data })).toEqual([expect.stringMatching(/settings\.json: it cannot be read$/)]);
  });
});

function problemsOf(flags: Readonly<Record<string, string>>): string[] {
  try {
    readConfig(flags, {});
  } catch (error) {
    if (isTeamMemoryError(error) && error.code === "config_invalid") return error.details["problems"] as string[];
    throw error;
  }
  throw new Error("the settings were accepted");
}
