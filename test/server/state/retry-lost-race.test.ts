import { describe, expect, it } from "vitest";
import { retryLostRace, toBackoffMs } from "../../../server/state/retry-lost-race.ts";
import { LIMITS } from "../../../shared/limits.ts";

describe("retryLostRace", () => {
  it("tries again until an attempt is not lost", async () => {
    let tried = 0;
    const result = await retryLostRace("x", async () => {
      tried += 1;
      return tried < 3 ? { kind: "lost" } : { kind: "done", result: "won" };
    });
    expect([result, tried]).toEqual(["won", 3]);
  });

  it("gives up after the last attempt, saying what was not written", async () => {
    let tried = 0;
    const lost = retryLostRace("people.json", async () => {
      tried += 1;
      return { kind: "lost" };
    });
    await expect(lost).rejects.toMatchObject({ code: "lost_race", message: expect.stringContaining("people.json") });
    expect(tried).toBe(LIMITS.publishAttemptsMax);
  });
});

describe("toBackoffMs", () => {
  it.each([
    { tried: 1, random: 0, expected: LIMITS.publishBackoffMsMin },
    { tried: 1, random: 1, expected: LIMITS.publishBackoffMsMin * 2 },
    { tried: 40, random: 0, expected: LIMITS.publishBackoffMsMin },
    { tried: 40, random: 1, expected: LIMITS.publishBackoffMsMax },
  ])("waits $expected ms before attempt $tried at jitter $random", ({ tried, random, expected }) => {
    expect(toBackoffMs(tried, random)).toBe(expected);
  });
});
