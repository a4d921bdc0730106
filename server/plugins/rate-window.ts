import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";

const WINDOW_MS = 60_000;

interface Count {
  startedAtMs: number;
  requests: number;
}

/** Counts one more request of `key`; seconds to wait once it has had too many, else 0. */
export type CountRequest = (key: string, nowMs: number) => number;

/**
 * At most `max` requests a minute and key. Counted in place and synchronously, because every unchanged poll passes here.
 * What is remembered is bounded: past that the oldest windows are forgotten first, so that a flood of invented keys
 * costs itself and not the memory.
 */
export function openRateWindow(max: number): CountRequest {
  const counts = new Map<string, Count>();
  return (key, nowMs) => {
    const count = counts.get(key);
    if (count === undefined || nowMs - count.startedAtMs >= WINDOW_MS) {
      startWindow(counts, key, nowMs);
      return 0;
    }
    count.requests += 1;
    return count.requests <= max ? 0 : Math.ceil((count.startedAtMs + WINDOW_MS - nowMs) / 1_000);
  };
}

/** A new window goes to the end of the map, so that the map's beginning is its oldest. */
function startWindow(counts: Map<string, Count>, key: string, nowMs: number): void {
  counts.delete(key);
  counts.set(key, { startedAtMs: nowMs, requests: 1 });
  if (counts.size <= LIMITS.rateLimitKeysMax) return;
  const [oldest] = counts.keys();
  if (oldest !== undefined) counts.delete(oldest);
}

export function rateLimited(max: number): TeamMemoryError {
  return new TeamMemoryError("rate_limited", `Could not answer: over ${max} requests a minute`);
}
