import { describe, expect, it } from "vitest";
import { openRateWindow } from "../../../server/plugins/rate-window.ts";
import { LIMITS } from "../../../shared/limits.ts";

describe("openRateWindow", () => {
  it("lets the bound through, refuses the next, and says how long to wait", () => {
    const count = openRateWindow(3);
    expect([0, 1, 2, 3].map((at) => count("a", at * 1_000))).toEqual([0, 0, 0, 57]);
  });

  it("begins anew a minute after the first request", () => {
    const count = openRateWindow(1);
    expect([0, 59_999, 60_000].map((nowMs) => count("a", nowMs))).toEqual([0, 1, 0]);
  });

  it("counts each key by itself", () => {
    const count = openRateWindow(1);
    expect([count("a", 0), count("b", 0), count("a", 0), count("b", 0)]).toEqual([0, 0, 60, 60]);
  });

  it("forgets the oldest window first when a flood of keys comes", () => {
    const count = openRateWindow(1);
    count("oldest", 0);
    count("second", 1);
    for (let at = 0; at < LIMITS.rateLimitKeysMax - 1; at += 1) count(`key-${at}`, 2);
    expect(count("second", 3)).toBe(60);
    expect(count("oldest", 3)).toBe(0);
  });
});
