import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AUTH_CASES, CACHE_CASES, CSRF_CASES, RATE_CASES } from "./auth-cases.ts";
import { CONTENT_TYPE_CASES, JSON_CASES } from "./body-cases.ts";
import { AREAS_ELSEWHERE, ELSEWHERE } from "./elsewhere.ts";
import { ERROR_CASES, REPLAY_CASES } from "./failure-cases.ts";
import { FRAMING_CASES, HEADER_CASES, PATH_CASES } from "./framing-cases.ts";
import { SIZE_CASES, SLOW_CASES } from "./size-cases.ts";
import { type Check, openTarget } from "./target.ts";
import { WEBHOOK_CASES } from "./webhook-cases.ts";

const AREAS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  size: SIZE_CASES,
  slow: SLOW_CASES,
  framing: FRAMING_CASES,
  headers: HEADER_CASES,
  "content-type": CONTENT_TYPE_CASES,
  json: JSON_CASES,
  auth: AUTH_CASES,
  csrf: CSRF_CASES,
  path: PATH_CASES,
  etag: CACHE_CASES,
  replay: REPLAY_CASES,
  rate: RATE_CASES,
  errors: ERROR_CASES,
  webhook: WEBHOOK_CASES,
};

const PLAYED = Object.entries(AREAS).flatMap(([area, cases]) =>
  Object.entries(cases).map(([name, check]) => ({ name: `${area}: ${name}`, check })),
);

describe("an abused service", () => {
  it.each(PLAYED)("holds against $name", async ({ check }) => {
    await check(await openTarget());
  });

  it("is tried with every case of the corpus, or says why not", () => {
    const known = new Set([...PLAYED.map(({ name }) => name), ...Object.keys(ELSEWHERE)]);
    const missing = readCorpus().filter(
      ({ area, name }) => !(area in AREAS_ELSEWHERE) && !known.has(`${area}: ${name}`),
    );
    expect(missing).toEqual([]);
    const names = new Set(readCorpus().map(({ area, name }) => `${area}: ${name}`));
    expect([...known].filter((name) => !names.has(name))).toEqual([]);
  });
});

function readCorpus(): { area: string; name: string }[] {
  const path = new URL("../../fixtures/corpora/http-abuse.json", import.meta.url);
  const entries = JSON.parse(readFileSync(path, "utf8")) as { area: string; case: string }[];
  return entries.map((entry) => ({ area: entry.area, name: entry.case }));
}
