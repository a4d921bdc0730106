import { build, type Metafile } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "./source-tree.ts";

const HEAVY = /node_modules\/(zod|yaml|gray-matter|js-yaml)\//;

describe("the client's import graph", () => {
  let inputs: Metafile["inputs"];

  beforeAll(async () => {
    const options = { absWorkingDir: ROOT, bundle: true, platform: "node", format: "cjs", write: false } as const;
    const result = await build({ ...options, entryPoints: ["client/main.ts"], metafile: true, logLevel: "silent" });
    inputs = result.metafile.inputs;
  });

  it("holds no library of the service", () => {
    const files = Object.keys(inputs);
    expect(files.filter((file) => /node_modules\/(@?fastify|isomorphic-git|close-with-grace|pino)/.test(file))).toEqual(
      [],
    );
    expect(files.filter((file) => file.startsWith("server/"))).toEqual([]);
  });

  it("loads neither zod nor a YAML parser before a command is chosen", () => {
    expect(staticClosure("client/main.ts").filter((file) => HEAVY.test(file))).toEqual([]);
  });

  it("loads neither zod nor a YAML parser on the way of the session-start hook", () => {
    const closure = staticClosure("client/hooks/session-start.ts");
    expect(closure).toContain("client/hooks/session-start.ts");
    expect(closure.filter((file) => HEAVY.test(file))).toEqual([]);
  });

  it("reads the table of all commands only where another one than the hook was called", () => {
    const closure = staticClosure("client/main.ts");
    expect(closure).toContain("client/hook-row.ts");
    expect(closure).not.toContain("client/cli.ts");
  });

  it("loads no rules of keys before a command is chosen: folding alone takes longer than asking the service", () => {
    const closure = staticClosure("client/main.ts");
    expect(closure).toContain("client/hooks/session-start.ts");
    expect(closure.filter((file) => /^shared\/path\/(key-rules|key-set|reserved-names)\.ts$/.test(file))).toEqual([]);
  });

  it("loads no part of Node before a command is chosen but these: node:http alone takes longer than asking the service", () => {
    const imports = staticClosure("client/main.ts").flatMap((file) => inputs[file]?.imports ?? []);
    const builtins = imports.filter(({ external }) => external === true).map(({ path }) => path);
    expect([...new Set(builtins)].sort()).toEqual(["node:fs", "node:net", "node:os", "node:path"]);
  });

  it("sees a heavy import where there is one", () => {
    expect(Object.keys(inputs).some((file) => HEAVY.test(file))).toBe(true);
  });

  /** What is evaluated with a file: all it imports, but for what it imports on demand. */
  function staticClosure(entry: string, seen: Set<string> = new Set()): string[] {
    if (seen.has(entry)) return [...seen];
    seen.add(entry);
    for (const { path, kind, external } of inputs[entry]?.imports ?? []) {
      if (external !== true && kind !== "dynamic-import") staticClosure(path, seen);
    }
    return [...seen];
  }
});
