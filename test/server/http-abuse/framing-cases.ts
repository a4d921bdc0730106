import { expect } from "vitest";
import { PUBLIC_URL } from "../open-test-app.ts";
import { type Check, head, PROPOSAL_PATH, SHOP_PATH, statusOf } from "./target.ts";

/** Answers with one status, whatever raw bytes say. */
const answers =
  (status: number, bytes: string | Buffer): Check =>
  async ({ raw }) => {
    expect(statusOf(await raw(bytes))).toBe(status);
  };

export const FRAMING_CASES: Readonly<Record<string, Check>> = {
  "Content-Length and Transfer-Encoding": answers(
    400,
    `${head("POST /v1/join", "Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  ),
  "two Content-Length values": answers(400, `${head("POST /v1/join", "Content-Length: 5", "Content-Length: 6")}hello`),
  "bare LF line ends": answers(400, "GET /healthz HTTP/1.1\nHost: x\n\n"),
  "raw dot segments in target": answers(
    400,
    head(`GET ${SHOP_PATH}/memories/../../../../../etc/passwd`, "Connection: close"),
  ),
  "NUL byte in target": answers(400, head("GET /a\0b")),
  "raw UTF-8 bytes in target": answers(400, Buffer.from(head("GET /．．／"))),
  "chunk extension flood": async ({ raw, token }) => {
    const start = head(
      `PUT ${PROPOSAL_PATH}`,
      "Content-Type: application/json",
      `Authorization: Bearer ${token}`,
      "Transfer-Encoding: chunked",
    );
    expect([400, 413]).toContain(statusOf(await raw(`${start}1;${"a".repeat(20_000)}\r\nx\r\n`)));
  },
  TRACE: answers(405, head("TRACE /", "Connection: close")),
  "wrong method on a known route": async ({ call }) => {
    const answer = await call({ method: "DELETE", url: "/healthz" });
    expect([answer.statusCode, answer.headers["allow"]]).toEqual([405, "GET, HEAD"]);
  },
};

export const HEADER_CASES: Readonly<Record<string, Check>> = {
  "CRLF in a reflected value": async ({ call }) => {
    for (const url of ["/v1/projects", `${SHOP_PATH}/memories`, "/join"]) {
      const answer = await call({ url: `${url}?name=a%0d%0aSet-Cookie:x=1` });
      expect(answer.statusCode).toBeLessThan(500);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  },
  // Nothing here is done for a cookie or for an address, so a foreign name for us gains nothing; and no link says it.
  "unknown Host": async ({ call }) => {
    const answer = await call({ url: "/join", headers: { host: "evil.example" } });
    expect(answer.body).not.toContain("evil.example");
    expect(answer.body).toContain(PUBLIC_URL);
  },
  "security headers on every answer": async ({ call }) => {
    for (const url of ["/healthz", "/nothing", `${SHOP_PATH}/memories`, "/v1/%", `${SHOP_PATH}/memories/..%2fx`]) {
      const { headers } = await call({ url });
      expect({ url, ...headers }).toMatchObject({
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
        "referrer-policy": "no-referrer",
      });
      expect(headers["server"] ?? headers["x-powered-by"]).toBeUndefined();
    }
  },
};

/** A target with one attack in it: the same address, said so that two programs read it differently. */
const refused =
  (...targets: readonly string[]): Check =>
  async ({ raw, token }) => {
    for (const target of targets) {
      const answer = await raw(head(`GET ${target}`, "Connection: close", `Authorization: Bearer ${token}`));
      expect([target, statusOf(answer)]).toEqual([target, 400]);
    }
  };

const KEYS = `${SHOP_PATH}/memories`;

export const PATH_CASES: Readonly<Record<string, Check>> = {
  "/v1/files/..%2f..%2fsecret.md": refused(`${KEYS}/..%2f..%2fsecret.md`, `${KEYS}/a%2Fb.md`),
  "/v1/files/%2e%2e/admin": refused(`${KEYS}/%2e%2e/admin`, `${KEYS}/%2E%2e/admin`),
  "/v1/files/..\\admin": refused(`${KEYS}/..\\admin`),
  "/v1/files/..%5cx.md": refused(`${KEYS}/..%5cx.md`),
  "/v1/files/a%00b.md": refused(`${KEYS}/a%00b.md`),
  "/v1/files/%c0%ae%c0%ae%c0%afx.md": refused(`${KEYS}/%c0%ae%c0%ae%c0%afx.md`),
  "/v1/files/%": refused(`${KEYS}/%`, `${KEYS}/%zz.md`),
  "/v1/files/..;/admin": refused(`${KEYS}/..;/admin`),
  "/\\evil.com": refused("/\\evil.com"),
  "/v1/files//x.md": async ({ call }) => {
    expect((await call({ url: `${KEYS}//x.md` })).statusCode).toBe(422);
  },
  "/v1/files/x.md/": async ({ call }) => {
    expect((await call({ url: `${KEYS}/x.md/` })).statusCode).toBe(422);
  },
  "/v1/teams/a%2Fb/files": refused("/v1/projects/a%2Fb/memories"),
  "/v1/files/x.md?key=../y.md": async ({ call }) => {
    const answer = await call({ url: `${KEYS}/x.md?key=../y.md` });
    expect(answer.statusCode).toBe(404);
    expect(answer.body).not.toContain("y.md");
  },
  "/v1/files/a%09b.md": refused(`${KEYS}/a%09b.md`),
};
