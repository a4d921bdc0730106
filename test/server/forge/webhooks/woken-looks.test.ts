import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openWokenLooks } from "../../../../server/forge/webhooks/woken-looks.ts";
import { LIMITS } from "../../../../shared/limits.ts";

const REST_MS = LIMITS.webhookLookIntervalMs;

describe("openWokenLooks", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Looks of 50 ms each, and when they began. */
  function openSlow() {
    const begun: number[] = [];
    const startedAt = Date.now();
    const looks = openWokenLooks(async () => {
      begun.push(Date.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    return { looks, begun };
  }

  it("looks at once, and once more for all who come meanwhile", async () => {
    const { looks, begun } = openSlow();
    for (let woken = 0; woken < 1_000; woken++) looks.wake();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(begun).toEqual([0, 50 + REST_MS]);
  });

  it("looks no more often in a flood than the bound says, and again at once after it", async () => {
    const { looks, begun } = openSlow();
    for (let ms = 0; ms < 3_000; ms += 10) {
      looks.wake();
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(begun.length).toBeLessThanOrEqual(3_000 / (50 + REST_MS) + 2);
    const before = begun.length;
    looks.wake();
    expect(begun).toHaveLength(before + 1);
  });

  it.each([
    { when: "while it looks", afterMs: 10 },
    { when: "while it rests", afterMs: 60 },
  ])("begins no look once it was stopped $when", async ({ afterMs }) => {
    const { looks, begun } = openSlow();
    looks.wake();
    looks.wake();
    await vi.advanceTimersByTimeAsync(afterMs);
    looks.stop();
    looks.wake();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(begun).toEqual([0]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
