import { describe, expect, it } from "vitest";
import { settleMarks } from "../../../../client/sync/pull/carry-out.ts";
import type { KeyMarks } from "../../../../client/sync/state/marks.ts";
import { sanitizePathKey } from "../../../../shared/path/sanitize-path-key.ts";

const KEY = sanitizePathKey("a.md");
const UNPLACED: KeyMarks = { unplaced: { base: "b", because: "written_meanwhile" } };

interface Row {
  readonly name: string;
  readonly before: KeyMarks;
  readonly planned: KeyMarks;
  readonly settled: KeyMarks;
}

describe("settleMarks", () => {
  it.each<Row>([
    {
      name: "leaves what lies there apart from what was sent where the plan would have mended that",
      before: { apart: true },
      planned: {},
      settled: { ...UNPLACED, apart: true },
    },
    {
      name: "does not call it apart for what the plan did not come to place",
      before: {},
      planned: { apart: true },
      settled: UNPLACED,
    },
    {
      name: "keeps what else was decided",
      before: {},
      planned: { restore: { blob: "r" } },
      settled: { ...UNPLACED, restore: { blob: "r" } },
    },
  ])("of a key that somebody wrote meanwhile $name", ({ before, planned, settled }) => {
    const surprises = { overtaken: [KEY], parked: new Map(), baseOf: () => "b", before: new Map([[KEY, before]]) };
    expect(settleMarks(new Map([[KEY, planned]]), surprises).get(KEY)).toEqual(settled);
  });
});
