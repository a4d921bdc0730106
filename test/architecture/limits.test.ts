import { describe, expect, it } from "vitest";
import { LIMITS } from "../../shared/limits.ts";
import { codeOf, readProductionSources } from "./source-tree.ts";

describe("LIMITS", () => {
  const code = [...readProductionSources()]
    .filter(([path]) => path !== "shared/limits.ts")
    .map(([, source]) => codeOf(source, { strings: false }))
    .join("\n");

  it("each bound something", () => {
    const idle = Object.keys(LIMITS).filter((name) => !new RegExp(`\\b${name}\\b`).test(code));
    expect(idle).toEqual([]);
  });
});
