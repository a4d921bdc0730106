import { expect, it } from "vitest";
import { readPatience } from "../../../server/forge/read-patience.ts";
import { LIMITS } from "../../../shared/limits.ts";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const at = (status: number, headers: Record<string, string> = {}) =>
  readPatience({ status, headers: new Headers(headers) }, NOW);
const inSeconds = (seconds: number) => NOW + seconds * 1_000;

it.each([
  ["a plain answer", 200, {}, null],
  ["a refusal that is none of patience", 403, {}, null],
  ["the last one of the hour", 200, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${NOW / 1_000 + 90}` }, 90],
  ["too many, with seconds", 429, { "retry-after": "7" }, 7],
  ["too many, with a date", 429, { "retry-after": "Fri, 01 May 2026 12:00:30 GMT" }, 30],
  ["too many, by another header", 429, { "ratelimit-remaining": "0", "ratelimit-reset": `${NOW / 1_000 + 12}` }, 12],
  ["too many, without a word", 429, {}, LIMITS.forgePatienceMs / 1_000],
  ["too many of those that notify", 403, { "retry-after": "60" }, 60],
  ["down for a while", 503, { "retry-after": "5" }, 5],
  ["down", 503, {}, null],
  ["for ever", 429, { "retry-after": "999999999" }, LIMITS.forgePatienceMaxMs / 1_000],
  ["nonsense", 429, { "retry-after": "-1" }, 0],
  ["in the past", 429, { "retry-after": "Fri, 01 May 2020 12:00:30 GMT" }, 0],
] as const)("%s", (_, status, headers, seconds) => {
  const until = at(status, headers);
  if (seconds === null) expect(until).toBeNull();
  else expect(until === null ? null : Math.max(until, NOW)).toBe(inSeconds(seconds));
});
