import { setTimeout as sleep } from "node:timers/promises";

/** Waits for the work as long as this; where it takes longer, says so and goes on without it. */
export async function within(timeoutMs: number, work: Promise<void>, onLate: () => void): Promise<void> {
  const ended = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: ended.signal }).then(onLate, () => {});
  try {
    await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}
