/**
 * Since this process began, and when that was. Not from `performance`: that is loaded by whoever touches it first, which
 * every session's start would wait for.
 */
export function sinceStartMs(): number {
  return process.uptime() * 1_000;
}

/** Since the epoch; rounded up, so that what began before it did begin before it. */
export function processStartedAtMs(): number {
  return Date.now() + 1 - sinceStartMs();
}
