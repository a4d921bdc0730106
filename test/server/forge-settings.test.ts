import { describe, expect, it } from "vitest";
import { readForgeSettings, type WrittenForge } from "../../server/forge-settings.ts";
import { parseRemoteUrl } from "../../server/git/remote/parse-remote-url.ts";

const TOKEN = { kind: "text", token: "t" } as const;

function read(
  written: WrittenForge,
  address = "https://git.example.org/acme/memory.git",
  token: typeof TOKEN | { kind: "none" } = TOKEN,
) {
  const problems: string[] = [];
  const url = parseRemoteUrl(address, { folders: ["/srv/git"] });
  const forge = readForgeSettings(written, { url, token }, (setting, rule) => problems.push(`${setting}: ${rule}`));
  return { forge, problems };
}

describe("readForgeSettings", () => {
  it.each([
    ["github", "https://github.com/acme/memory.git", "https://api.github.com", "acme/memory"],
    ["github", "git@github.com:acme/memory.git", "https://api.github.com", "acme/memory"],
    ["github", "https://ghe.example.org/acme/memory", "https://ghe.example.org/api/v3", "acme/memory"],
    ["gitea", "https://git.example.org/acme/memory.git", "https://git.example.org/api/v1", "acme/memory"],
    ["gitea", "https://example.org/git/acme/memory.git", "https://example.org/git/api/v1", "acme/memory"],
    ["gitea", "ssh://git@git.example.org:2222/acme/memory.git", "https://git.example.org/api/v1", "acme/memory"],
    ["gitlab", "https://gitlab.com/acme/teams/memory.git", "https://gitlab.com/api/v4", "acme/teams/memory"],
    ["gitlab", "git@gitlab.com:acme/teams/memory.git", "https://gitlab.com/api/v4", "acme/teams/memory"],
  ])("%s at %s", (forge, address, apiUrl, repository) => {
    expect(read({ forge }, address)).toMatchObject({ forge: { kind: forge, apiUrl, repository }, problems: [] });
  });

  it("takes another address of the API, another token, and reviewers", () => {
    const written = { forge: "gitlab", "forge-url": "https://example.org/code/api/v4/", "forge-token-file": "/t" };
    const { forge } = read(
      { ...written, "forge-reviewers": "rita, ben.b" },
      "https://example.org/code/acme/memory.git",
    );
    expect(forge).toEqual({
      kind: "gitlab",
      apiUrl: "https://example.org/code/api/v4",
      repository: "acme/memory",
      token: { kind: "file", path: "/t" },
      reviewers: ["rita", "ben.b"],
    });
  });

  it.each([{}, { forge: "none" }])("is none for %j", (written) => {
    expect(read(written)).toEqual({ forge: null, problems: [] });
  });

  it.each([
    [{ forge: "bitbucket" }, /^forge: github/],
    [{ "forge-url": "https://example.org" }, /^forge-url: given without --forge/],
    [{ forge: "github", "forge-url": "http://example.org/api" }, /^forge-url: .*https/],
    [{ forge: "github", "forge-url": "https://user:word@example.org/api" }, /^forge-url: .*credentials/],
    [{ forge: "github", "forge-url": "file:///etc" }, /^forge-url/],
    [{ forge: "github", "forge-reviewers": "rita,-x" }, /^forge-reviewers/],
    [{ forge: "github", "forge-reviewers": Array.from({ length: 30 }, (_, at) => `r${at}`).join(",") }, /at most/],
  ])("says what is wrong with %j, and never the value", (written, rule) => {
    const { problems } = read(written);
    expect(problems).toEqual([expect.stringMatching(rule)]);
    expect(problems[0]).not.toContain("word");
  });

  it("needs a token, and a remote that a forge may have", () => {
    expect(read({ forge: "github" }, undefined, { kind: "none" }).problems[0]).toMatch(/token/);
    expect(read({ forge: "github" }, "/srv/git/memory.git").problems[0]).toMatch(/https or ssh/);
  });
});
