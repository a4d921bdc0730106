import { LIMITS } from "../../shared/limits.ts";

/**
 * Until when the forge wants to hear nothing, since the epoch; null: it has not said so. GitHub says it by 403 or 429 with
 * `retry-after`, or with nothing left until `x-ratelimit-reset`; GitLab by 429 and `ratelimit-reset`. Without a time, a minute.
 */
export function readPatience({ status, headers }: Pick<Response, "status" | "headers">, nowMs: number): number | null {
  const after = readRetryAfter(headers.get("retry-after"), nowMs);
  const isSpent = (headers.get("x-ratelimit-remaining") ?? headers.get("ratelimit-remaining")) === "0";
  const isLimited =
    status === 429 || (status === 403 && (after !== null || isSpent)) || (status === 503 && after !== null);
  if (!isLimited && !(isSpent && status < 400)) return null;
  const reset = readSeconds(headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset"));
  const until = after ?? (isSpent && reset !== null ? reset * 1_000 : null) ?? nowMs + LIMITS.forgePatienceMs;
  return Math.min(Math.max(until, nowMs), nowMs + LIMITS.forgePatienceMaxMs);
}

function readRetryAfter(value: string | null, nowMs: number): number | null {
  const seconds = readSeconds(value);
  if (seconds !== null) return nowMs + seconds * 1_000;
  const at = Date.parse(value ?? "");
  return Number.isNaN(at) ? null : at;
}

function readSeconds(value: string | null): number | null {
  return value !== null && /^\d{1,12}$/u.test(value) ? Number(value) : null;
}
