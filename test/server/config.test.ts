import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig, redactConfig } from "../../server/config.ts";
import { serveAlone } from "../../server/served-remotes.ts";
import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { tempDir } from "../support/temp-dir.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

describe("readConfig", () => {
  it("has a default for everything", () => {
    expect(readConfig({}, {})).toEqual({
      dataFolder: resolve(".team-memory"),
      host: "127.0.0.1",
      port: 7357,
      publicUrl: null,
      lastUrl: null,
      logLevel: "info",
      secret: null,
      webhookSecrets: [],
      trustedProxies: [],
      requestsPerMinutePerToken: LIMITS.requestsPerMinutePerToken,
      requestsPerMinutePerAddress: LIMITS.requestsPerMinutePerAddress,
      gitPath: null,
      ...serveAlone(null),
      toRemember: { format: 1, remote: null },
    });
  });

  it("lets a flag win over its variable, and takes an empty variable for none", () => {
    const environment = { TEAM_MEMORY_PORT: "1000", TEAM_MEMORY_HOST: "0.0.0.0", TEAM_MEMORY_PUBLIC_URL: "" };
    expect(readConfig({ port: "2000" }, environment)).toMatchObject({ port: 2000, host: "0.0.0.0", publicUrl: null });
  });

  it.each([
    { text: "https://memory.example.org", expected: "https://memory.example.org" },
    { text: "https://memory.example.org/", expected: "https://memory.example.org" },
    { text: "HTTPS://Memory.Example.org:443/team//", expected: "https://memory.example.org/team" },
    { text: "http://[::1]:7357", expected: "http://[::1]:7357" },
  ])("takes $text as the public address $expected", ({ text, expected }) => {
    expect(readConfig({ "public-url": text }, {}).publicUrl).toBe(expected);
  });

  it.each([
    { name: "a port of letters", flags: { port: "http" } },
    { name: "a port past the last", flags: { port: "65536" } },
    { name: "a host with a space", flags: { host: "a b" } },
    { name: "an unknown level", flags: { "log-level": "loud" } },
    { name: "a public address of another kind", flags: { "public-url": "ftp://example.org" } },
    { name: "a public address with credentials", flags: { "public-url": "https://user:pass@example.org" } },
    { name: "a public address with a query", flags: { "public-url": "https://example.org/?a=1" } },
    { name: "a public address with a fragment", flags: { "public-url": "https://example.org/#code" } },
    { name: "no address at all", flags: { "public-url": "example.org" } },
    { name: "a rate of nothing", flags: { "requests-per-minute-per-token": "0" } },
    { name: "a proxy that is no address", flags: { "trusted-proxies": "10.0.0.1, proxy" } },
    { name: "a secret file that is not there", flags: { "secret-file": "/nowhere/secret" } },
  ])("refuses $name, naming the flag and the variable", ({ flags }) => {
    const [flag = ""] = Object.keys(flags);
    const variable = `TEAM_MEMORY_${flag.toUpperCase().replaceAll("-", "_")}`;
    expect(problemsOf(() => readConfig(flags, {}))).toEqual([expect.stringMatching(`--${flag} \\(${variable}\\)`)]);
  });

  it("reports all problems at once", () => {
    const environment = { TEAM_MEMORY_SECRET: "short", TEAM_MEMORY_LOG_LEVEL: "loud" };
    expect(problemsOf(() => readConfig({ port: "x", host: "a b" }, environment))).toHaveLength(4);
  });

  it("takes the secret from the environment or from a file, never from both", async () => {
    const file = join(await tempDir(), "secret");
    await writeFile(file, `${SECRET}\n`);
    expect(readConfig({}, { TEAM_MEMORY_SECRET: SECRET }).secret).toBe(SECRET);
    expect(readConfig({ "secret-file": file }, {}).secret).toBe(SECRET);
    const both = () => readConfig({ "secret-file": file }, { TEAM_MEMORY_SECRET: SECRET });
    expect(problemsOf(both)).toEqual(["TEAM_MEMORY_SECRET and --secret-file: give one of the two"]);
  });

  it("takes no secret from a flag: process lists show flags", () => {
    expect(readConfig({ secret: SECRET }, {}).secret).toBeNull();
  });

  it("takes webhook secrets, one a line, from the environment or a file, and shows how many at most", async () => {
    const file = join(await tempDir(), "secrets");
    const secrets = [SECRET, SECRET.toUpperCase()];
    await writeFile(file, `\n${secrets.join("\r\n")}\n\n`);
    const config = readConfig({ "webhook-secret-file": file }, {});
    expect([config.webhookSecrets, config.toRemember["webhook-secret-file"]]).toEqual([secrets, file]);
    expect(readConfig({}, { TEAM_MEMORY_WEBHOOK_SECRET: secrets.join("\n") }).webhookSecrets).toEqual(secrets);
    expect(readConfig({ "webhook-secret": SECRET }, {}).webhookSecrets).toEqual([]);
    expect(JSON.stringify(redactConfig(config))).not.toMatch(/0123456789abcdef/i);
    const both = () => readConfig({ "webhook-secret-file": file }, { TEAM_MEMORY_WEBHOOK_SECRET: SECRET });
    expect(problemsOf(both)).toEqual(["TEAM_MEMORY_WEBHOOK_SECRET and --webhook-secret-file: give one of the two"]);
  });

  it.each([
    ["an empty file", "", /one secret a line/],
    ["blank lines alone", " \n\t\n", /one secret a line/],
    ["a short line among good ones", `${SECRET}\nhunter2\n`, /32 characters/],
    ["more than are tried", `${SECRET}\n`.repeat(LIMITS.webhookSecretsMax + 1), /at most 10/],
  ])("refuses %s as webhook secrets", async (_, text, problem) => {
    const file = join(await tempDir(), "secrets");
    await writeFile(file, text);
    const problems = problemsOf(() => readConfig({ "webhook-secret-file": file }, {}));
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toMatch(/hunter2|abcdef/);
  });

  it("reads a remote, its token from one source, and the base", () => {
    const remote = "https://git.example.org/team/memory.git";
    const environment = { TEAM_MEMORY_REMOTE: remote, TEAM_MEMORY_REMOTE_TOKEN: "hunter2" };
    expect(readConfig({ "base-branch": "memory" }, environment).people.remote).toEqual({
      url: { kind: "http", url: remote },
      token: { kind: "text", token: "hunter2" },
      ssh: { keyPath: null, knownHostsPath: null },
      baseRef: "refs/heads/memory",
      forge: null,
    });
    expect(readConfig({ remote, "remote-token": "hunter2" }, {}).people.remote?.token).toEqual({ kind: "none" });
    expect(JSON.stringify(redactConfig(readConfig({}, environment)))).not.toContain("hunter2");
    const local = readConfig({ remote: "/srv/git/memory.git", "remote-folder": "/srv/git" }, {});
    expect(local.people.remote?.url).toEqual({ kind: "file", url: "/srv/git/memory.git" });
    const ssh = readConfig({ remote: "git@example.org:a", "remote-ssh-key": "/dev/null" }, {}).people.remote?.ssh;
    expect(ssh).toEqual({ keyPath: "/dev/null", knownHostsPath: null });
  });

  it.each([
    ["an address with a token", { remote: "https://hunter2@example.org/a" }, /--remote .*token/],
    ["a transport helper", { remote: "ext::sh -c id" }, /--remote/],
    ["a path elsewhere", { remote: "/srv/git/memory.git" }, /--remote .*outside/],
    ["two tokens", { remote: "https://example.org/a", "remote-token-file": "a", "remote-askpass": "/b" }, /give one/],
    ["a program on the PATH", { remote: "https://example.org/a", "remote-askpass": "pass" }, /--remote-askpass/],
    ["a base among proposals", { remote: "https://example.org/a", "base-branch": "team-memory/x" }, /--base-branch/],
    ["a base that is no branch", { remote: "https://example.org/a", "base-branch": "a..b" }, /--base-branch/],
    ["a token without a remote", { "remote-token-file": "a" }, /--remote-token-file .*without the address/],
    ["a token for ssh", { remote: "git@example.org:a", "remote-token-file": "a" }, /https alone/],
    ["a key for https", { remote: "https://example.org/a", "remote-ssh-key": "/dev/null" }, /ssh alone/],
    ["a key that is not there", { remote: "git@example.org:a", "remote-ssh-key": "/a" }, /--remote-ssh-key .*ENOENT/],
    ["hosts with a blank", { remote: "git@example.org:a", "remote-known-hosts": "/a b" }, /known-hosts .*blanks/],
    ["hosts that ssh expands", { remote: "git@example.org:a", "remote-known-hosts": "/%h" }, /known-hosts .*expands/],
  ])("refuses %s", (_, flags, problem) => {
    const problems = problemsOf(() => readConfig(flags, {}));
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain("hunter2");
  });

  it("never repeats a secret, neither in a problem nor in the log", () => {
    const problems = problemsOf(() => readConfig({}, { TEAM_MEMORY_SECRET: "hunter2" }));
    expect(problems.join()).not.toContain("hunter2");
    const config = readConfig({}, { TEAM_MEMORY_SECRET: SECRET });
    expect(JSON.stringify(redactConfig(config))).not.toContain(SECRET);
  });
});

function problemsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (isTeamMemoryError(error) && error.code === "config_invalid") return error.details["problems"] as string[];
    throw error;
  }
  throw new Error("the settings were accepted");
}
