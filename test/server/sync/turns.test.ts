import { describe, expect, it } from "vitest";
import { buildTurns } from "../../../server/sync/world/turns.ts";
import { LIMITS } from "../../../shared/limits.ts";

describe("buildTurns", () => {
  it("runs one work at a time, in order, whatever fails", async () => {
    const inTurn = buildTurns();
    const seen: string[] = [];
    const work = (name: string) => async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 2));
      seen.push(`${name} ends`);
      if (name === "b") throw new Error("b failed");
    };
    const all = await Promise.allSettled(["a", "b", "c"].map((name) => inTurn(work(name))));
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("refuses past its bound, and takes work again afterwards", async () => {
    const inTurn = buildTurns();
    const waiting = Array.from({ length: LIMITS.writesWaitingMax }, () => inTurn(async () => undefined));
    expect(() => inTurn(async () => undefined)).toThrow(expect.objectContaining({ code: "unavailable" }));
    await Promise.all(waiting);
    expect(await inTurn(async () => 1)).toBe(1);
  });
});
