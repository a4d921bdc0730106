import { describe, expect, it } from "vitest";
import { toOutcomesHeader } from "../../../server/routes/outcomes-header.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { ProposalOutcome } from "../../../shared/protocol/schemas.ts";

const outcome = (reason: string): ProposalOutcome => ({
  state: "closed",
  seq: 1,
  reason,
  rejected: ["a.md"],
  url: "u",
});

describe("toOutcomesHeader", () => {
  it("is ASCII JSON, whatever a reviewer wrote", () => {
    const outcomes = { A: outcome('Ungültig "…" \u{1f600}\r\n\u007f'), B: outcome("") };
    const header = toOutcomesHeader(outcomes);
    expect(header).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(header)).toEqual(outcomes);
  });

  it("is an empty object for none", () => {
    expect(toOutcomesHeader({})).toBe("{}");
  });

  it("stays within what a client reads, and leaves out what does not fit", () => {
    const long = outcome("ü".repeat(LIMITS.reasonLengthMax));
    const outcomes = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`P${at}`, at === 19 ? outcome("") : long]),
    );
    const header = toOutcomesHeader(outcomes);
    expect(header.length).toBeLessThanOrEqual(LIMITS.outcomesHeaderSizeBytesMax);
    const kept = JSON.parse(header) as Record<string, ProposalOutcome>;
    expect(Object.keys(kept).length).toBeLessThan(20);
    expect(kept["P0"]).toEqual(long);
    expect(kept["P19"]).toEqual(outcome(""));
  });
});
