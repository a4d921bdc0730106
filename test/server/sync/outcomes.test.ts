import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../server/sync/proposal/outcome.ts";
import { keepNewest } from "../../../server/sync/proposal/outcomes.ts";
import { OUTCOMES_FILE } from "../../../server/sync/proposal/outcomes-file.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { SHOP } from "./support.ts";

const outcome = (index: number, titleLength = 1): Outcome => ({
  id: `01JH00000000000000000${String(index).padStart(5, "0")}`,
  project: SHOP,
  person: "ana",
  by: "Ana",
  title: "x".repeat(titleLength),
  state: "closed",
  seq: 1,
  reason: "No",
  head: "a".repeat(40),
  createdAt: "2026-03-05T10:00:00.000Z",
  updatedAt: "2026-03-05T10:00:00.000Z",
  changes: [{ key: "a.md" as never, base: null, blob: "b".repeat(40), state: "rejected" }],
});

describe("keepNewest", () => {
  it("drops the oldest past the count", () => {
    const list = Array.from({ length: LIMITS.outcomesMax + 2 }, (_, index) => outcome(index));
    expect(keepNewest(list)).toEqual(list.slice(2));
  });

  it("drops the oldest past the size, never the newest", () => {
    const half = LIMITS.outcomesSizeBytesMax / 2;
    const list = [outcome(1, half), outcome(2, half), outcome(3, half * 3)];
    expect(keepNewest(list)).toEqual([list[2]]);
  });
});

describe("the outcomes file", () => {
  it("reads back what it holds, and refuses anything foreign", () => {
    const value = { format: 1, outcomes: [outcome(1)] } as const;
    expect(OUTCOMES_FILE.parse(JSON.parse(JSON.stringify(value)))).toEqual(value);
    for (const foreign of [{}, { ...value, format: 2 }, { ...value, extra: 1 }, null]) {
      expect(() => OUTCOMES_FILE.parse(foreign)).toThrow();
    }
  });
});
