import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRemotesFile } from "../../server/remotes-file.ts";
import { reviewPolicyOf } from "../../server/served-remotes.ts";
import { LIMITS } from "../../shared/limits.ts";
import { parseProjectName } from "../../shared/project/parse-project-name.ts";
import { tempDir } from "../support/temp-dir.ts";

const TOKEN = "hunter2-hunter2";
const VARIABLES: Readonly<Record<string, string>> = { ACME_TOKEN: TOKEN };

async function read(text: string) {
  const folder = await tempDir();
  const path = join(folder, "remotes.yaml");
  await writeFile(path, text);
  const read = readRemotesFile(path, { dataFolder: "/srv/data", readVariable: (name) => VARIABLES[name] });
  return { ...read, folder, problems: read.problems.map((problem) => problem.replace(path, "FILE")) };
}

const GOOD = `
remotes:
  - name: acme
    url: https://git.example.org/acme/memory.git
    token-variable: ACME_TOKEN
    projects: [github.com/acme/*]
    base-branch: memory
    review-direct: [github.com/acme/sandbox-*]
    committer: { name: Acme memory, email: memory@acme.example }
  - name: rest
    url: https://git.example.org/rest.git
    token-file: keys/rest
    projects: ["*"]
    review: direct
    people: true
`;

describe("readRemotesFile", () => {
  it("reads each remote with what holds for it, paths from where the file lies", async () => {
    const { served, folder } = await read(GOOD);
    expect(served?.remotes).toMatchObject([
      {
        name: "acme",
        remote: {
          url: { url: "https://git.example.org/acme/memory.git" },
          baseRef: "refs/heads/memory",
          token: { token: TOKEN },
        },
        projects: ["github.com/acme/*"],
        committer: { name: "Acme memory", email: "memory@acme.example" },
      },
      { name: "rest", remote: { token: { kind: "file", path: join(folder, "keys/rest") } }, direct: ["*"] },
    ]);
    expect(served?.people.name).toBe("rest");
  });

  it("reads JSON as well, and the data folder's own repository, which keeps the people", async () => {
    const remotes = [
      { name: "a", url: "https://git.example.org/a.git", projects: ["github.com/a/*"] },
      { name: "own", projects: ["*"] },
    ];
    const { served } = await read(JSON.stringify({ remotes }, null, "\t"));
    expect([served?.people.name, served?.people.remote]).toEqual(["own", null]);
  });

  it("says whether a project's additions need review", async () => {
    const [acme, rest] = (await read(GOOD)).served?.remotes.map(reviewPolicyOf) ?? [];
    const [shop, sandbox] = ["github.com/acme/shop", "github.com/acme/sandbox-1"].map((name) => parseProjectName(name));
    expect([shop, sandbox].map((name) => name && acme?.(name))).toEqual(["required", "direct"]);
    expect(shop && rest?.(shop)).toBe("direct");
  });

  it("tells all that is wrong at once, with line and place", async () => {
    const text = `remotes:
  - name: Acme
    url: https://git.example.org/a.git
    token: ${TOKEN}
    projects: []
  - name: b
    url: ext::sh -c id
    token-variable: NOT_SET
    projects: ["github.com/*", "a b"]
  - name: c
    url: https://${TOKEN}@git.example.org/c.git
    askpass: pass
    projects: ["*"]
    review: sometimes
    committer: { name: "<", email: nobody }
  - name: d
    url: ext::${TOKEN}
    projects: ["*"]
colour: red
`;
    const { served, problems } = await read(text);
    expect(served).toBeNull();
    expect(problems).toEqual([
      expect.stringMatching(/^FILE:19: colour: there is no such setting$/),
      expect.stringMatching(/^FILE:2: remotes\[0\]\.name: small letters/),
      expect.stringMatching(/^FILE:5: remotes\[0\]\.projects: at least one/),
      expect.stringMatching(/^FILE:4: remotes\[0\]\.token: a token never stands/),
      expect.stringMatching(/^FILE:9: remotes\[1\]\.projects\[1\]: has a segment/),
      expect.stringMatching(/^FILE:8: remotes\[1\]\.token-variable: the variable is not set/),
      expect.stringMatching(/^FILE:7: remotes\[1\]\.url: /),
      expect.stringMatching(/^FILE:14: remotes\[2\]\.review: /),
      expect.stringMatching(/^FILE:15: remotes\[2\]\.committer\.name: /),
      expect.stringMatching(/^FILE:15: remotes\[2\]\.committer\.email: /),
      expect.stringMatching(/^FILE:12: remotes\[2\]\.askpass: /),
      expect.stringMatching(/^FILE:11: remotes\[2\]\.url: /),
      expect.stringMatching(/^FILE:17: remotes\[3\]\.url: /),
    ]);
    expect(problems.join()).not.toContain(TOKEN);
  });

  const row = (name: string, rest: string) =>
    `  - { name: ${name}, url: "https://git.example.org/${name}.git", ${rest} }\n`;

  it.each([
    [
      "a pattern that one above takes all of",
      [row("a", 'projects: ["github.com/*"]'), row("b", "projects: [github.com/acme/*]")],
      /^FILE:3: remotes\[1\]\.projects\[0\]: never reached/,
    ],
    ["a pattern given twice", [row("a", 'projects: ["x/y"]'), row("b", 'projects: ["x/y"]')], /never reached/],
    [
      "a name given twice",
      [row("a", 'projects: ["x"]'), '  - { name: a, url: "https://example.org/z", projects: [y] }\n'],
      /name: another/,
    ],
    [
      "an address given twice",
      [
        row("a", 'projects: ["x"]'),
        '  - { name: z, url: "https://git.example.org/a.git/", base-branch: b, projects: [y] }\n',
      ],
      /url: another/,
    ],
    [
      "two repositories of its own",
      ["  - { name: a, projects: [x] }\n", "  - { name: b, projects: [y] }\n"],
      /url: only one/,
    ],
    [
      "people on two remotes",
      [row("a", "projects: [x], people: true"), row("b", "projects: [y], people: true")],
      /remotes\[1\]\.people: .*which is a$/,
    ],
    [
      "people elsewhere than here",
      [row("a", "projects: [x], people: true"), "  - { name: b, projects: [y] }\n"],
      /remotes\[0\]\.people: .*which is b$/,
    ],
    ["an alias", ["  - &x { name: a, projects: [x] }\n", "  - *x\n"], /^FILE:1: it has an alias/],
    ["what is no YAML", ["  - { name: a\n"], /no YAML/],
    ["no remotes", [], /remotes: /],
  ])("refuses %s", async (_, rows, problem) => {
    const { served, problems } = await read(`remotes:\n${rows.join("")}`);
    expect(served).toBeNull();
    expect(problems[0]).toMatch(problem);
  });

  it("takes a narrower pattern above a wider one", async () => {
    const { problems } = await read(
      `remotes:\n${row("a", "projects: [github.com/acme/*]")}${row("b", 'projects: ["github.com/*"]')}`,
    );
    expect(problems).toEqual([]);
  });

  it.each([
    [
      "remotes",
      (count: number) => Array.from({ length: count }, (_, n) => row(`r${n}`, `projects: [p${n}]`)),
      LIMITS.remotesMax,
    ],
    [
      "patterns",
      (count: number) => [row("a", `projects: [${Array.from({ length: count }, (_, n) => `p${n}`)}]`)],
      LIMITS.patternsPerRemoteMax,
    ],
  ])("takes so many %s, and not one more", async (_, rows, max) => {
    expect((await read(`remotes:\n${rows(max).join("")}`)).problems).toEqual([]);
    expect((await read(`remotes:\n${rows(max + 1).join("")}`)).problems).toHaveLength(1);
  });

  it("reads no file past its bound, and none that is not there", async () => {
    const filled = (length: number) => `${GOOD}#`.padEnd(length, "#");
    expect((await read(filled(LIMITS.configFileSizeBytesMax))).problems).toEqual([]);
    expect((await read(filled(LIMITS.configFileSizeBytesMax + 1))).problems).toHaveLength(1);
    expect(
      readRemotesFile("/nowhere/remotes.yaml", { dataFolder: "/d", readVariable: () => undefined }).problems,
    ).toHaveLength(1);
  });
});
