import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type LateEngine, openLate } from "../../../server/sync/late-engine.ts";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { handEngine } from "../hand-engine.ts";

const DOWN = new TeamMemoryError("remote_unreachable", "could not reach the remote: ECONNREFUSED");

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Each attempt takes the next of `outcomes`; the last one for ever. */
function openWith(outcomes: readonly (() => Promise<ReturnType<typeof handEngine>["engine"]>)[]) {
  const logged: string[] = [];
  const write = (_fields: object, message: string) => void logged.push(message);
  let attempts = 0;
  const open = () => {
    attempts += 1;
    return (outcomes[Math.min(attempts, outcomes.length) - 1] ?? (() => Promise.reject(DOWN)))();
  };
  const opening = openLate({ open, log: { info: write, warn: write, error: write }, name: "acme" });
  opening.catch(() => {});
  return { opening, logged, attempts: () => attempts };
}

const fails = (error: unknown) => () => Promise.reject(error);
const opens =
  (engine = handEngine().engine) =>
  () =>
    Promise.resolve(engine);

function seen(late: LateEngine) {
  return late.current() ?? late.failure().code;
}

describe("openLate", () => {
  it("opens a remote that is down once it is back, and says both", async () => {
    const { engine } = handEngine();
    const { opening, logged } = openWith([fails(DOWN), fails(new Error("odd")), opens(engine)]);
    const late = await opening;
    expect([seen(late), late.failure().message]).toEqual([
      "remote_unreachable",
      expect.stringContaining("remote acme"),
    ]);
    await vi.advanceTimersByTimeAsync(LIMITS.remoteReopenIntervalMs);
    expect(seen(late)).toBe("unavailable");
    await vi.advanceTimersByTimeAsync(LIMITS.remoteReopenIntervalMs);
    expect(seen(late)).toBe(engine);
    expect(logged).toEqual([
      "A remote is not served until it can be opened; the others are",
      "A remote could not be opened",
      "A remote is served again",
    ]);
  });

  it("keeps a start waiting for a silent remote so long, and no longer", async () => {
    const { engine } = handEngine();
    let answer = (_engine: typeof engine) => {};
    const { opening } = openWith([() => new Promise((resolve) => (answer = resolve))]);
    let late: LateEngine | null = null;
    void opening.then((opened) => (late = opened));
    await vi.advanceTimersByTimeAsync(LIMITS.remoteStartWaitMs - 1);
    expect(late).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen(await opening)).toBe("remote_unreachable");
    answer(engine);
    await vi.advanceTimersByTimeAsync(0);
    expect(seen(await opening)).toBe(engine);
  });

  it("does not try again what settings alone can mend", async () => {
    const { opening, attempts } = openWith([fails(new TeamMemoryError("config_invalid", "no such base"))]);
    await expect(opening).rejects.toMatchObject({ code: "config_invalid" });
    await vi.advanceTimersByTimeAsync(LIMITS.remoteReopenIntervalMs * 3);
    expect(attempts()).toBe(1);
  });

  it("tries no more once it is stopped, and stops what opens after that", async () => {
    const { opening, attempts } = openWith([fails(DOWN)]);
    await (await opening).stop();
    await vi.advanceTimersByTimeAsync(LIMITS.remoteReopenIntervalMs * 3);
    expect(attempts()).toBe(1);

    const { engine, calls } = handEngine();
    let answer = (_engine: typeof engine) => {};
    const slow = openWith([() => new Promise((resolve) => (answer = resolve))]);
    await vi.advanceTimersByTimeAsync(LIMITS.remoteStartWaitMs);
    await (await slow.opening).stop();
    answer(engine);
    await vi.advanceTimersByTimeAsync(0);
    expect(calls).toEqual([["stop"]]);
  });
});
