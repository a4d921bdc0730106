import { expect } from "vitest";
import { fromGithub, hmac, PUSH, WEBHOOK_SECRET } from "../forge/webhooks/sign.ts";
import { handEngine } from "../hand-engine.ts";
import { openTestApp } from "../open-test-app.ts";
import type { Check } from "./target.ts";

const HUB = "x-hub-signature-256";

/** What deliveries of GitHub are answered, one after the other, and how often the remote is looked at. */
const delivered =
  (
    deliveries: readonly (readonly [headers: Record<string, string>, body: string])[],
    statuses: number[],
    looks: number,
  ): Check =>
  async () => {
    const { engine, calls } = handEngine();
    const { app } = await openTestApp({ engine: async () => engine, options: { webhookSecrets: [WEBHOOK_SECRET] } });
    const answered = [];
    for (const [headers, payload] of deliveries) {
      answered.push((await app.inject({ method: "POST", url: "/v1/webhooks/github", headers, payload })).statusCode);
    }
    expect([answered, calls.map(([name]) => name)]).toEqual([statuses, Array(looks).fill("refresh")]);
  };

const MALFORMED = [
  `sha256=${"z".repeat(64)}`,
  `sha256=${hmac(PUSH).slice(2)}`,
  `sha256=${hmac(PUSH).toUpperCase()}`,
  `sha256=${hmac(PUSH)}, sha256=${hmac(PUSH)}`,
];

export const WEBHOOK_CASES: Readonly<Record<string, Check>> = {
  "malformed signature": delivered(
    MALFORMED.map((value) => [{ ...fromGithub(), [HUB]: value }, PUSH]),
    [401, 401, 401, 401],
    0,
  ),
  "signature over re-serialised JSON": delivered(
    [
      [fromGithub(), JSON.stringify(JSON.parse(PUSH))],
      [fromGithub(), PUSH],
    ],
    [401, 202],
    1,
  ),
  "replayed delivery id": delivered(
    [0, 1].map(() => [fromGithub(), PUSH]),
    [202, 202],
    1,
  ),
  "other repository's secret": delivered([[{ [HUB]: `sha256=${hmac(PUSH, "another")}` }, PUSH]], [401], 0),
  "unsubscribed event": delivered(
    ["ping", "star"].map((event) => [fromGithub(PUSH, event, event), PUSH]),
    [202, 202],
    0,
  ),
  // Nothing of a body is read: the engine is asked for a look, and given no address.
  "clone_url in payload": async () => {
    const { engine, calls } = handEngine();
    const { app } = await openTestApp({ engine: async () => engine, options: { webhookSecrets: [WEBHOOK_SECRET] } });
    await app.inject({ method: "POST", url: "/v1/webhooks/github", headers: fromGithub(), payload: PUSH });
    expect(calls).toEqual([["refresh"]]);
  },
  "secret unset": async ({ app }) => {
    for (const secret of ["", WEBHOOK_SECRET]) {
      const headers = { [HUB]: `sha256=${hmac(PUSH, secret)}` };
      const answer = await app.inject({ method: "POST", url: "/v1/webhooks/github", headers, payload: PUSH });
      expect(answer.statusCode).toBe(404);
    }
  },
};
