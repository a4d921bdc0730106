import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseGitConfig } from "../../../client/memory/parse-git-config.ts";
import { readGitRemotes } from "../../../client/memory/read-git-remotes.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { writeFiles } from "./support.ts";

const URL_OF_ORIGIN = [
  ["plain", '[remote "origin"]\n\turl = git@github.com:acme/shop.git\n'],
  ["without spaces", '[remote "origin"]\nurl=git@github.com:acme/shop.git'],
  ["on the header's line", '[remote "origin"] url = git@github.com:acme/shop.git'],
  ["names in capitals", '[REMOTE "origin"]\n\tURL = git@github.com:acme/shop.git\n'],
  ["quoted", '[remote "origin"]\n\turl = "git@github.com:acme/shop.git"\n'],
  ["half quoted", '[remote "origin"]\n\turl = git@"github.com":acme/shop.git\n'],
  ["with a comment behind", '[remote "origin"]\n\turl = git@github.com:acme/shop.git # mine\n'],
  ["with the other comment", '; first\n[remote "origin"] ; second\n\turl = git@github.com:acme/shop.git;x\n'],
  ["continued on the next line", '[remote "origin"]\n\turl = git@github.com:\\\nacme/shop.git\n'],
  ["with CRLF and BOM", '\uFEFF[remote "origin"]\r\n\turl = git@github.com:acme/shop.git\r\n'],
  ["trailing blanks", '[remote "origin"]\n\turl = git@github.com:acme/shop.git  \t\n'],
  [
    "the first of two",
    '[remote "origin"]\n\turl = git@github.com:acme/shop.git\n\turl = git@github.com:acme/mirror.git\n',
  ],
  [
    "among others",
    '[core]\n\tbare\n[remote "other"]\n\turl = x\n[remote "origin"]\n\turl = git@github.com:acme/shop.git\n',
  ],
  [
    "in two sections",
    '[remote "origin"]\n\tfetch = +a:b\n[core]\n[remote "origin"]\n\turl = git@github.com:acme/shop.git\n',
  ],
  ["the old form", "[remote.origin]\n\turl = git@github.com:acme/shop.git\n"],
] as const;

describe("readGitRemotes", () => {
  it.each(URL_OF_ORIGIN)("reads origin's URL as git does: %s", async (_, config) => {
    const folder = await tempDir();
    await writeFiles(folder, { config });
    const asGitSays = (await git(folder, ["config", "--file", "config", "--get-all", "remote.origin.url"])).split(
      "\n",
    )[0];
    expect(readGitRemotes(folder)).toEqual({ origin: asGitSays, upstream: null });
    expect(asGitSays).toBe("git@github.com:acme/shop.git");
  });

  it.each([
    ["another remote", '[remote "Origin"]\n\turl = x\n'],
    ["a push URL", '[remote "origin"]\n\tpushurl = x\n'],
    ["a comment", '# [remote "origin"]\n#\turl = x\n'],
    ["a value that looks like a header", '[core]\n\teditor = "[remote \\"origin\\"]\\n url = x"\n'],
    ["an include", "[include]\n\tpath = other.config\n"],
    ["a key before any section", "url = x\n"],
    ["an open quote", '[remote "origin"]\n\turl = "x\n'],
    ["an open header", '[remote "origin"\n\turl = x\n'],
  ])("takes nothing from %s", async (_, config) => {
    const folder = await tempDir();
    await writeFiles(folder, { config, "other.config": '[remote "origin"]\n\turl = x\n' });
    expect(readGitRemotes(folder)).toEqual({ origin: null, upstream: null });
  });

  it("has none without a config file, and refuses one over its bound", async () => {
    const folder = await tempDir();
    expect(readGitRemotes(folder)).toEqual({ origin: null, upstream: null });
    await writeFiles(folder, { config: "#".repeat(LIMITS.gitConfigSizeBytesMax) });
    expect(readGitRemotes(folder)).toEqual({ origin: null, upstream: null });
    await writeFiles(folder, { config: "#".repeat(LIMITS.gitConfigSizeBytesMax + 1) });
    expect(() => readGitRemotes(folder)).toThrow(expect.objectContaining({ code: "disk" }));
  });
});

describe("parseGitConfig", () => {
  it("gives back every value that git writes", async () => {
    const folder = await tempDir();
    const values = fc.sample(fc.string({ unit: fc.constantFrom(...' \t"\\#;[]=ab\né'), maxLength: 12 }), {
      numRuns: 60,
      seed: 7,
    });
    for (const [at, value] of values.entries()) await git(folder, ["config", "--file", "config", `shop.k${at}`, value]);
    const text = await import("node:fs/promises").then(({ readFile }) => readFile(join(folder, "config"), "utf8"));
    expect(parseGitConfig(text)?.map((entry) => entry.value)).toEqual(values);
  });

  it("takes a value as long as the bound in one piece", () => {
    const long = "x".repeat(LIMITS.gitConfigSizeBytesMax);
    expect(parseGitConfig(`[a]\nk = ${long}`)?.[0]?.value).toBe(long);
  });
});
