import { beforeAll, describe, expect, it } from "vitest";
import { runOverPlanted } from "./planted-tree.ts";

const PLANTED = [
  { rule: "noRestrictedImports", path: "shared/to-server.ts", source: importing("../server/app.ts") },
  { rule: "noRestrictedImports", path: "client/to-server.ts", source: importing("../server/app.ts") },
  { rule: "noRestrictedImports", path: "server/to-client.ts", source: importing("../client/cli.ts") },
  { rule: "noRestrictedImports", path: "client/to-fastify.ts", source: importing("fastify") },
  { rule: "noRestrictedImports", path: "client/to-git.ts", source: importing("isomorphic-git") },
  { rule: "noRestrictedImports", path: "server/to-git.ts", source: importing("isomorphic-git") },
  { rule: "noProcessEnv", path: "client/environment.ts", source: 'export const home = process.env["HOME"];\n' },
  { rule: "noBarrelFile", path: "shared/barrel.ts", source: 'export { a } from "./cycle-a.ts";\n' },
  { rule: "noImportCycles", path: "shared/cycle-a.ts", source: importing("./cycle-b.ts") },
  { rule: "noDefaultExport", path: "shared/default.ts", source: "export default 1;\n" },
  { rule: "noConsole", path: "server/console.ts", source: "console.log(1);\n" },
  { rule: "noFloatingPromises", path: "server/floating.ts", source: "async function work() {}\nwork();\n" },
];

const ALLOWED = {
  "server/git/adapter.ts": importing("isomorphic-git"),
  "server/config.ts": 'export const home = process.env["HOME"];\n',
  "client/config.ts": 'export const home = process.env["HOME"];\n',
  "shared/cycle-b.ts": importing("./cycle-a.ts"),
};

describe("biome lint", () => {
  let findings: readonly string[];

  beforeAll(async () => {
    const planted = Object.fromEntries(PLANTED.map(({ path, source }) => [path, source]));
    findings = await lint({ ...planted, ...ALLOWED });
  });

  it.each(PLANTED)("catches $rule in $path", ({ rule, path }) => {
    expect(findings).toContain(`${path} ${rule}`);
  });

  it("lets the folders of an exception do what they are for", () => {
    const excepted = findings.filter((finding) => /^(server\/git\/|(server|client)\/config)/.test(finding));
    expect(excepted).toEqual([]);
  });
});

/** Findings as `path rule`. */
async function lint(sources: Readonly<Record<string, string>>): Promise<string[]> {
  const { stdout } = await runOverPlanted("biome", ["lint", "--reporter=json", "--max-diagnostics=none"], sources);
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string | { file: string } } }[];
  };
  return diagnostics.map(({ category, location }) => {
    const path = typeof location.path === "string" ? location.path : location.path.file;
    return `${path} ${category.split("/").at(-1)}`;
  });
}

function importing(target: string): string {
  return `import { a as imported } from "${target}";\n\nexport const a = imported;\n`;
}
