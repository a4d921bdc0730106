import { describe, expect, it } from "vitest";
import { runOverPlanted } from "./planted-tree.ts";

const SOUND = {
  "shared/a.ts": "export const a = 1;\n",
  "server/a.ts": importing("../shared/a.ts"),
  "client/a.ts": importing("../shared/a.ts"),
};

describe("tsc -b", () => {
  it("compiles sides that import shared/ alone", async () => {
    expect(await compile(SOUND)).toMatchObject({ code: 0, stdout: "" });
  });

  it.each([
    { name: "shared/ imports server/", path: "shared/b.ts", target: "../server/a.ts" },
    { name: "client/ imports server/", path: "client/b.ts", target: "../server/a.ts" },
    { name: "server/ imports client/", path: "server/b.ts", target: "../client/a.ts" },
  ])("fails where $name", async ({ path, target }) => {
    const { code, stdout } = await compile({ ...SOUND, [path]: importing(target) });
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/TS(6059|6307)/);
  });
});

function compile(sources: Readonly<Record<string, string>>) {
  return runOverPlanted("tsc", ["-b", "shared", "server", "client", "--pretty", "false"], sources);
}

function importing(target: string): string {
  return `import { a as imported } from "${target}";\n\nexport const a = imported;\n`;
}
