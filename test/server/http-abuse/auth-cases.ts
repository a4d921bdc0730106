import { expect } from "vitest";
import { bearer, openTestApp } from "../open-test-app.ts";
import { type Check, head, PROPOSAL_PATH, proposal, SHOP_PATH, statusOf } from "./target.ts";

const MEMORIES = `${SHOP_PATH}/memories`;

/** What an Authorization header of this kind is answered. */
const withHeader =
  (authorization: string | undefined): Check =>
  async ({ app }) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await app.inject({ url: MEMORIES, headers });
    expect([answer.statusCode, answer.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
  };

export const AUTH_CASES: Readonly<Record<string, Check>> = {
  "no credentials": withHeader(undefined),
  "wrong scheme": withHeader(`Basic ${Buffer.from("x:y").toString("base64")}`),
  "wrong token, same length": async ({ app, token }) => {
    const wrong = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
    const [one, other] = await Promise.all(
      [wrong, "x"].map((text) => app.inject({ url: MEMORIES, headers: bearer(text) })),
    );
    expect([one?.statusCode, one?.body]).toEqual([401, other?.body]);
  },
  "wrong token, other length": async (target) => {
    await withHeader("Bearer x")(target);
    await withHeader(`Bearer ${"x".repeat(10_000)}`)(target);
  },
  "two Authorization headers": async ({ raw, token }) => {
    const lines = [`Authorization: Bearer ${token}`, "authorization: Bearer other", "Connection: close"];
    expect(statusOf(await raw(head(`GET ${MEMORIES}`, ...lines)))).toBe(400);
  },
  "expired or revoked token": async ({ people, tokenFor, app }) => {
    const token = await tokenFor("admin");
    expect((await app.inject({ url: MEMORIES, headers: bearer(token) })).statusCode).toBe(200);
    const last = (await people.list()).tokens.tokens.at(-1);
    await people.revoke(last?.id ?? "");
    expect((await app.inject({ url: MEMORIES, headers: bearer(token) })).statusCode).toBe(401);
  },
  "read-only token on a write": async ({ app, tokenFor, refs }) => {
    const headers = bearer(await tokenFor("reader"));
    const before = await refs();
    const answer = await app.inject({ method: "PUT", url: PROPOSAL_PATH, headers, payload: proposal("a.md") });
    expect(answer.statusCode).toBe(403);
    expect(await refs()).toEqual(before);
  },
  "token of another team": async ({ app, tokenFor }) => {
    const headers = bearer(await tokenFor("admin", "github.com/other/*"));
    const theirs = await app.inject({ url: `${MEMORIES}/a.md`, headers });
    const nobodys = await app.inject({ url: "/v1/projects/github.com~acme~nothing/memories/a.md", headers });
    expect([theirs.statusCode, nobodys.statusCode]).toEqual([404, 404]);
    expect(theirs.body.replaceAll("shop", "nothing")).toBe(nobodys.body);
  },
  "control bytes in token": async (target) => {
    await withHeader("Bearer a%00b")(target);
    const answer = await target.raw(head(`GET ${MEMORIES}`, "Connection: close", "Authorization: Bearer \xe9\xe9"));
    expect(statusOf(answer)).toBe(401);
  },
  "HEAD and OPTIONS": async ({ app, call }) => {
    for (const method of ["HEAD", "OPTIONS"] as const)
      expect([method, (await app.inject({ method, url: MEMORIES })).statusCode]).toEqual([method, 401]);
    expect((await call({ method: "HEAD", url: MEMORIES })).statusCode).toBe(200);
    expect((await call({ method: "OPTIONS", url: MEMORIES })).statusCode).toBe(405);
  },
  "health and metrics": async ({ app }) => {
    expect((await app.inject("/healthz")).json()).toEqual({ status: "ok", version: "1.2.3" });
    expect(Object.keys((await app.inject("/readyz")).json())).toEqual(["status", "revision"]);
  },
};

const fromPage =
  (origin: string): Check =>
  async ({ call }) => {
    const payload = { code: "x".repeat(20) };
    const answer = await call({ method: "POST", url: "/v1/join", headers: { origin }, payload });
    expect([answer.statusCode, answer.json().error.code]).toEqual([403, "forbidden"]);
  };

export const CSRF_CASES: Readonly<Record<string, Check>> = {
  "cross-site form POST with cookie": fromPage("https://evil.example"),
  "Origin: null": fromPage("null"),
  frame: async ({ call }) => {
    expect((await call({ url: "/join" })).headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  },
};

export const CACHE_CASES: Readonly<Record<string, Check>> = {
  "If-None-Match list of 10000 tags": async ({ raw, token }) => {
    const tags = Array.from({ length: 10_000 }, (_, at) => `"${at}"`).join(", ");
    const answer = await raw(head(`GET ${MEMORIES}`, `Authorization: Bearer ${token}`, `If-None-Match: ${tags}`));
    expect(statusOf(answer)).toBe(431);
  },
  "tag of another team's file": async ({ app, call, tokenFor }) => {
    const etag = String((await call({ url: MEMORIES })).headers["etag"]);
    const conditional = { "if-none-match": etag };
    expect((await call({ url: MEMORIES, headers: conditional })).statusCode).toBe(304);
    const stranger = bearer(await tokenFor("admin", "github.com/other/*"));
    expect((await app.inject({ url: MEMORIES, headers: { ...stranger, ...conditional } })).statusCode).toBe(404);
    expect((await app.inject({ url: MEMORIES, headers: conditional })).statusCode).toBe(401);
  },
  "shared cache": async ({ call }) => {
    const etag = String((await call({ url: MEMORIES })).headers["etag"]);
    for (const headers of [{}, { "if-none-match": etag }]) {
      const answer = await call({ url: MEMORIES, headers });
      expect(answer.headers["cache-control"]).toBe("private, no-store");
      expect(answer.headers["vary"]).toContain("authorization");
    }
  },
};

export const RATE_CASES: Readonly<Record<string, Check>> = {
  "many tokens, one address": async () => {
    const { app, tokenFor } = await openTestApp({ options: { requestsPerMinutePerAddress: 10 } });
    const tokens = [await tokenFor("reader"), await tokenFor("reader")];
    const statuses: number[] = [];
    for (let at = 0; at < 12; at += 1)
      statuses.push((await app.inject({ url: "/v1/projects", headers: bearer(tokens[at % 2] ?? "") })).statusCode);
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429, 429]);
  },
};
