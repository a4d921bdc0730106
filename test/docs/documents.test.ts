import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../client/cli.ts";
import { SERVE_FLAGS } from "../../server/config.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const documents = readdirSync(ROOT).filter((name) => name.endsWith(".md"));
const readme = read("README.md");

describe.each(documents)("%s", (name) => {
  const text = read(name);

  it("links to files that exist", () => {
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target!);
    expect(targets.filter((target) => !existsSync(`${ROOT}${target}`))).toEqual([]);
  });

  it("names paths of the house that exist", () => {
    const paths = [...text.matchAll(/`((?:shared|server|client|test|scripts|\.ci)\/[\w./-]*)`/g)].map(
      ([, path]) => path!,
    );
    expect(paths.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
  });

  it("names npm scripts that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:-]+)/g)].map(([, script]) => script!);
    expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
  });
});

describe("README.md", () => {
  it("lists every command of the client that people call, and no others", () => {
    const table = /\| command \| does \|\n([\s\S]*?)\n\n/.exec(readme)?.[1] ?? "";
    const rows = table.split("\n").map((row) => row.split("|")[1] ?? "");
    const listed = rows.flatMap((cell) =>
      [...cell.matchAll(/`(?:team-memory )?([a-z-]+)/g)].map(([, command]) => command!),
    );
    const called = COMMANDS.map(({ name }) => name).filter((name) => name !== "hook");
    expect(listed.sort()).toEqual([...called].sort());
  });

  it("lists every setting of the service with its variable, and no others", () => {
    const rows = [...readme.matchAll(/^\| `--([a-z-]+)` \| `(\w+)` \|/gm)].map(([, flag, variable]) => [
      flag,
      variable,
    ]);
    const flags = Object.keys(SERVE_FLAGS);
    const expected = flags.map((flag) => [flag, `TEAM_MEMORY_${flag.toUpperCase().replaceAll("-", "_")}`]);
    expect(rows.sort()).toEqual(expected.sort());
  });
});

describe("CHANGELOG.md", () => {
  it("begins with what is unreleased", () => {
    expect(read("CHANGELOG.md")).toMatch(/^# Changelog\n\n## Unreleased\n\n\S/);
  });
});

function read(name: string): string {
  return readFileSync(`${ROOT}${name}`, "utf8");
}
