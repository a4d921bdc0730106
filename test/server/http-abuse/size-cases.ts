import { expect } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { type Check, head, MEMORY, PROPOSAL_PATH, SHOP_PATH, statusOf } from "./target.ts";

const PUT = `PUT ${PROPOSAL_PATH}`;
const JSON_TYPE = "Content-Type: application/json";
const OVER = LIMITS.requestBodySizeBytesMax + 1;

export const SIZE_CASES: Readonly<Record<string, Check>> = {
  "declared body over the limit": async ({ raw, token }) => {
    const answer = await raw(head(PUT, JSON_TYPE, `Authorization: Bearer ${token}`, `Content-Length: ${OVER}`));
    expect(statusOf(answer)).toBe(413);
    expect(answer).toMatch(/^connection: close/im);
  },
  "chunked body over the limit": async ({ raw, token }) => {
    const start = head(PUT, JSON_TYPE, `Authorization: Bearer ${token}`, "Transfer-Encoding: chunked");
    const send = () => raw(start, { endless: `10000\r\n${"x".repeat(65_536)}\r\n` });
    let status = 0;
    // Who keeps sending may be reset before the answer is read.
    for (let tries = 0; tries < 5 && status === 0; tries += 1) status = statusOf(await send());
    expect(status).toBe(413);
  },
  "one file over maxFileBytes in a batch": async ({ call, refs }) => {
    const before = await refs();
    const texts = [MEMORY, MEMORY + "x".repeat(LIMITS.memorySizeBytesMax), MEMORY];
    const changes = texts.map((text, at) => ({ key: `memory_${at}.md`, baseBlob: null, text }));
    const answer = await call({ method: "PUT", url: PROPOSAL_PATH, payload: { seq: 1, changes } });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().error.code).toBe("unprocessable_proposal");
    expect(await refs()).toEqual(before);
  },
  "sum of files over the team quota": async ({ call, refs }) => {
    const before = await refs();
    const text = MEMORY + "x".repeat(LIMITS.memorySizeBytesMax - 1_000);
    const count = Math.ceil(LIMITS.proposalSizeBytesMax / text.length) + 1;
    const changes = Array.from({ length: count }, (_, at) => ({ key: `memory_${at}.md`, baseBlob: null, text }));
    const answer = await call({ method: "PUT", url: PROPOSAL_PATH, payload: { seq: 1, changes } });
    expect(answer.statusCode).toBe(413);
    expect(await refs()).toEqual(before);
  },
  "stacked encodings": async ({ call }) => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip, gzip" };
    const answer = await call({ method: "PUT", url: PROPOSAL_PATH, headers, payload: "{}" });
    expect(answer.statusCode).toBe(415);
  },
  "long request target": async ({ raw, call }) => {
    expect(statusOf(await raw(head(`GET ${SHOP_PATH}/memories/${"a".repeat(20_000)}`)))).toBe(431);
    const url = `${SHOP_PATH}/memories/${"a".repeat(LIMITS.requestTargetLengthMax)}`;
    expect((await call({ url })).statusCode).toBe(413);
  },
  "2500 short header lines (21 KB on the wire)": async ({ raw }) => {
    const lines = (count: number) => Array.from({ length: count }, (_, at) => `x${at}:1`);
    expect([400, 431]).toContain(statusOf(await raw(head("GET /healthz", "Connection: close", ...lines(2_500)))));
    expect(statusOf(await raw(head("GET /healthz", "Connection: close", ...lines(LIMITS.requestHeadersMax))))).toBe(
      400,
    );
    expect(statusOf(await raw(head("GET /healthz", "Connection: close", ...lines(50))))).toBe(200);
  },
  "10000 query parameters": async ({ raw, call }) => {
    expect(statusOf(await raw(head(`GET ${SHOP_PATH}/memories?${"a=1&".repeat(10_000)}`)))).toBe(431);
    expect((await call({ url: `${SHOP_PATH}/memories?${"a=1&".repeat(1_000)}` })).statusCode).toBe(400);
  },
  "Expect: 100-continue with oversize length": async ({ raw }) => {
    const answer = await raw(head(PUT, JSON_TYPE, "Expect: 100-continue", "Content-Length: 10000000000"));
    expect(statusOf(answer)).toBe(413);
  },
  "unknown expectation": async ({ raw }) => {
    expect(statusOf(await raw(head("GET /healthz", "Expect: 200-ok", "Connection: close")))).toBe(417);
  },
};

/** What only minutes of waiting would show is asked of the server's own settings. */
export const SLOW_CASES: Readonly<Record<string, Check>> = {
  "slow body (RUDY)": async ({ app }) => {
    expect(app.server.requestTimeout).toBe(30_000);
    expect(app.server.headersTimeout).toBe(10_000);
  },
  "slow reader": async ({ app }) => {
    expect(app.server.timeout).toBe(150_000);
  },
  "idle keep-alive flood": async ({ app }) => {
    expect(app.server.keepAliveTimeout).toBe(72_000);
    expect(app.server.maxConnections).toBe(2_000);
  },
  "pipelined flood": async ({ raw, app }) => {
    expect(app.server.maxRequestsPerSocket).toBe(10_000);
    const flood = head("GET /healthz").repeat(1_000);
    const answer = await raw(flood, { until: (received) => received.split("HTTP/1.1 200").length > 1_000 });
    expect(answer.split("HTTP/1.1 200")).toHaveLength(1_001);
  },
  "half-open then abort mid-upload": async ({ raw, token, refs, app }) => {
    const before = await refs();
    const start = head(PUT, JSON_TYPE, `Authorization: Bearer ${token}`, "Content-Length: 1000");
    await raw(`${start}{"seq":1,"changes":[`, { waitMs: 50 });
    expect((await app.inject("/healthz")).statusCode).toBe(200);
    expect(await refs()).toEqual(before);
  },
};
