import { describe, expect, it } from "vitest";
import { findViolations } from "./rules.ts";
import { listFiles, PRODUCTION_FOLDERS, readProductionSources } from "./source-tree.ts";

interface Planted {
  readonly rule: string;
  readonly path: string;
  readonly source: string;
}

const planted: readonly Planted[] = [
  {
    rule: "shared/ imports neither side",
    path: "shared/path/a.ts",
    source: 'import { b } from "../../server/app.ts";\n',
  },
  {
    rule: "shared/ imports neither side",
    path: "shared/path/a.ts",
    source: 'import type { B } from "../../client/cli.ts";\n',
  },
  {
    rule: "client/ never imports server/",
    path: "client/sync/a.ts",
    source: 'const b = await import("../../server/app.ts");\n',
  },
  {
    rule: "server/ never imports client/",
    path: "server/sync/a.ts",
    source: 'import {\n  type B,\n  c,\n} from "../../client/cli.ts";\n',
  },
  {
    rule: "client/ never loads the service's libraries",
    path: "client/a.ts",
    source: 'import cors from "@fastify/cors";\n',
  },
  { rule: "client/ never loads the service's libraries", path: "client/a.ts", source: 'import "fastify";\n' },
  {
    rule: "only server/git/ touches isomorphic-git",
    path: "server/sync/a.ts",
    source: 'import git from "isomorphic-git";\n',
  },
  {
    rule: "only server/git/ touches isomorphic-git",
    path: "server/a.ts",
    source: 'const http = await import("isomorphic-git/http/node");\n',
  },
  {
    rule: "shared/ does no I/O but disk access in shared/path/",
    path: "shared/memory/a.ts",
    source: 'import { readFile } from "node:fs/promises";\n',
  },
  {
    rule: "shared/ does no I/O but disk access in shared/path/",
    path: "shared/path/a.ts",
    source: 'import { connect } from "node:net";\n',
  },
  {
    rule: "the environment is read in the two config files alone",
    path: "client/sync/a.ts",
    source: "const home = process.env.HOME;\n",
  },
  {
    rule: "the environment is read in the two config files alone",
    path: "client/sync/a.ts",
    source: 'const env = process["env"];\n',
  },
  {
    rule: "the environment is read in the two config files alone",
    path: "server/app.ts",
    source: 'import { env } from "node:process";\n',
  },
  {
    rule: "process.exit and listen( stand in main files alone",
    path: "client/cli.ts",
    source: "process.exit(1);\n",
  },
  {
    rule: "process.exit and listen( stand in main files alone",
    path: "server/app.ts",
    source: "await app.listen({ port: 0 });\n",
  },
  { rule: "no barrels", path: "shared/path/index.ts", source: 'export * from "./a.ts";\n' },
  { rule: "no barrels", path: "shared/path/index.ts", source: 'export { a } from "./a.ts";\n' },
  { rule: "no file over 300 lines", path: "client/a.ts", source: "\n".repeat(301) },
  { rule: "no Manager, Helper, Util or Service", path: "client/sync/lock-helper.ts", source: "" },
  { rule: "no Manager, Helper, Util or Service", path: "client/a.ts", source: "export class SyncService {}\n" },
  { rule: "no TODO without an issue", path: "client/sync/a.ts", source: "// TODO: later\n" },
];

describe("findViolations", () => {
  it.each(planted)("catches a planted breach of: $rule ($source)", ({ rule, path, source }) => {
    expect(findViolations(new Map([[path, source]]))).toContainEqual({ rule, path });
  });

  it("catches a cycle of three files, and names it", () => {
    const tree = new Map([
      ["shared/a.ts", 'import { b } from "./b.ts";\n'],
      ["shared/b.ts", 'import { c } from "./c.ts";\n'],
      ["shared/c.ts", 'import { a } from "./a.ts";\n'],
    ]);
    const path = "shared/a.ts -> shared/b.ts -> shared/c.ts -> shared/a.ts";
    expect(findViolations(tree)).toEqual([{ rule: "no import cycles", path }]);
  });

  it("catches two files that only know each other's types", () => {
    const tree = new Map([
      ["shared/a.ts", 'import { b } from "./b.ts";\n'],
      ["shared/b.ts", 'import type { A } from "./a.ts";\n'],
    ]);
    expect(findViolations(tree)).toEqual([
      { rule: "no import cycles", path: "shared/a.ts -> shared/b.ts -> shared/a.ts" },
    ]);
  });

  it.each([
    { name: "a comment that speaks of it", path: "client/a.ts", source: "// process.env is read elsewhere\n" },
    { name: "a string that names it", path: "client/a.ts", source: 'const say = "process.exit(1)";\n' },
    { name: "the environment in config.ts", path: "client/config.ts", source: "const { HOME } = process.env;\n" },
    { name: "listen( in main.ts", path: "server/main.ts", source: "await app.listen({ port });\n" },
    { name: "isomorphic-git in its folder", path: "server/git/a.ts", source: 'import git from "isomorphic-git";\n' },
    { name: "disk in the disk layers", path: "shared/path/team-path.ts", source: 'import fs from "node:fs";\n' },
    { name: "a TODO with its issue", path: "client/a.ts", source: "// TODO(#12): merge texts\n" },
  ])("lets pass: $name", ({ path, source }) => {
    expect(findViolations(new Map([[path, source]]))).toEqual([]);
  });

  it("finds nothing in the real tree", () => {
    const tree = readProductionSources();
    expect(tree.size).toBeGreaterThan(3);
    expect(findViolations(tree)).toEqual([]);
  });
});

describe("the source folders", () => {
  it("hold no emitted file beside a source", () => {
    const emitted = PRODUCTION_FOLDERS.flatMap((folder) => listFiles(folder)).filter((path) =>
      /\.(d\.ts|m?js|map)$/.test(path),
    );
    expect(emitted).toEqual([]);
  });
});
