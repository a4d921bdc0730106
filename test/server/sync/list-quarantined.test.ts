import { describe, expect, it } from "vitest";
import { listQuarantined } from "../../../server/sync/serve/list-quarantined.ts";
import { toQuarantined } from "../../../server/sync/snapshot/quarantine.ts";

const many = (rule: "R-BUDGET" | "R-LINK" | "R-SIZE", count: number) =>
  Array.from({ length: count }, (_, at) => toQuarantined(`${rule}${at}`, rule));

const countsOf = (files: readonly { rule: string }[]) =>
  Object.fromEntries(
    ["R-BUDGET", "R-LINK", "R-SIZE"].map((rule) => [rule, files.filter((f) => f.rule === rule).length]),
  );

describe("listQuarantined", () => {
  it("leaves a list at the bound as it is", () => {
    const files = many("R-BUDGET", 10);
    expect(listQuarantined(files, 10)).toBe(files);
  });

  it.each([
    { name: "after", files: [...many("R-BUDGET", 5_000), ...many("R-LINK", 1)] },
    { name: "before", files: [...many("R-LINK", 1), ...many("R-BUDGET", 5_000)] },
  ])("names the one file that stands $name thousands of another kind, and says how many more", ({ files }) => {
    const listed = listQuarantined(files, 10);
    expect(countsOf(listed)).toEqual({ "R-BUDGET": 9, "R-LINK": 1, "R-SIZE": 0 });
    expect(listed.map(({ reason }) => reason).filter((reason) => reason.includes("more like it"))).toEqual([
      "lies beyond what one project may hold (and 4991 more like it)",
    ]);
    expect(listed.map((file) => files.findIndex(({ path }) => path === file.path))).toEqual(
      listed.map((file) => files.findIndex(({ path }) => path === file.path)).toSorted((a, b) => a - b),
    );
  });

  it("shares the room between large kinds", () => {
    const files = [...many("R-BUDGET", 100), ...many("R-LINK", 100), ...many("R-SIZE", 2)];
    expect(countsOf(listQuarantined(files, 12))).toEqual({ "R-BUDGET": 5, "R-LINK": 5, "R-SIZE": 2 });
  });
});
