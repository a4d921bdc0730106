import type { FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { addressOf } from "../../../server/plugins/limits.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { bearer, openTestApp } from "../open-test-app.ts";

describe("addressOf", () => {
  it.each([
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "::ffff:10.0.0.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2:ffff::1", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
  ])("counts %s as %s", (ip, expected) => {
    expect(addressOf({ ip } as FastifyRequest)).toBe(expected);
  });
});

describe("rate limits", () => {
  it("stop one token and not another, with Retry-After", async () => {
    const { app, tokenFor } = await openTestApp({ options: { requestsPerMinutePerToken: 2 } });
    const [one, other] = [await tokenFor("reader"), await tokenFor("reader")];
    const ask = (token: string) => app.inject({ url: "/v1/projects", headers: bearer(token) });
    const answers = [await ask(one), await ask(one), await ask(one), await ask(other)];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429, 200]);
    expect(answers[2]?.json().error).toMatchObject({ code: "rate_limited" });
    expect(Number(answers[2]?.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("count requests without a valid token against their address", async () => {
    const { app } = await openTestApp({ options: { requestsPerMinutePerAddress: 2 } });
    const ask = () => app.inject({ url: "/v1/projects", headers: bearer("guess") });
    expect([await ask(), await ask(), await ask()].map(({ statusCode }) => statusCode)).toEqual([401, 401, 429]);
  });

  it("let nobody guess invite codes", async () => {
    const { app } = await openTestApp();
    const join = () => app.inject({ method: "POST", url: "/v1/join", payload: { code: "a guess of a code" } });
    const statuses: number[] = [];
    for (let at = 0; at <= LIMITS.joinsPerMinutePerAddress; at += 1) statuses.push((await join()).statusCode);
    expect(statuses).toEqual([...Array<number>(LIMITS.joinsPerMinutePerAddress).fill(403), 429]);
  });

  it("believe X-Forwarded-For of a trusted proxy alone", async () => {
    const ask = async (trustedProxies: string[]) => {
      const { app } = await openTestApp({ options: { requestsPerMinutePerAddress: 1, trustedProxies } });
      const from = (address: string) => app.inject({ url: "/healthz", headers: { "x-forwarded-for": address } });
      return [(await from("10.0.0.1")).statusCode, (await from("10.0.0.2")).statusCode];
    };
    expect(await ask([])).toEqual([200, 429]);
    expect(await ask(["127.0.0.1"])).toEqual([200, 200]);
  });
});
