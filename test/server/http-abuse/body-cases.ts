import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type Check, MEMORY, PROPOSAL_PATH, proposal, SHOP_PATH } from "./target.ts";

/** A body of another kind, whatever it says. */
const ofType =
  (type: string | undefined, payload: string | Buffer, status = 415): Check =>
  async ({ call }) => {
    const headers = type === undefined ? {} : { "content-type": type };
    expect((await call({ method: "PUT", url: PROPOSAL_PATH, headers, payload })).statusCode).toBe(status);
  };

const JSON_TYPE = "application/json";

export const CONTENT_TYPE_CASES: Readonly<Record<string, Check>> = {
  "form body": ofType("application/x-www-form-urlencoded", "seq=1"),
  multipart: ofType("multipart/form-data; boundary=x", "--x--"),
  "missing type": ofType(undefined, "{}"),
  "vendor suffix not offered": ofType("application/vnd.x+json", "{}"),
  XML: ofType("application/xml", "<a/>"),
  "invalid UTF-8 in JSON body": ofType(JSON_TYPE, Buffer.from('{"key":"a\xff.md"}', "latin1"), 400),
  "BOM before JSON": ofType(JSON_TYPE, Buffer.from("\ufeff{}"), 400),
};

/** JSON text that is no proposal. */
const refused =
  (...texts: readonly string[]): Check =>
  async ({ call }) => {
    for (const payload of texts) {
      const headers = { "content-type": JSON_TYPE };
      const answer = await call({ method: "PUT", url: PROPOSAL_PATH, headers, payload });
      expect([payload.slice(0, 50), answer.statusCode]).toEqual([payload.slice(0, 50), 400]);
    }
  };

const withMember = (member: string) => `${JSON.stringify(proposal("a.md")).slice(0, -1)},${member}}`;
const withKey = (key: unknown) => JSON.stringify(proposal(key));
const withSeq = (seq: string) => `{"seq":${seq},"changes":[]}`;

export const JSON_CASES: Readonly<Record<string, Check>> = {
  "constructor.prototype member": refused(
    withMember('"constructor":{"prototype":{"x":1}}'),
    withMember('"__proto__":{"x":1}'),
  ),
  "dotted pollution key": refused(withMember('"__proto__.x":1')),
  "key is an array": refused(withKey(["../x.md"])),
  "key is object, null, number, boolean": refused(...[{}, null, 1, true].map(withKey)),
  // A string of the right kind is the engine's to judge: the answer names the key, as for every other bad key.
  "NUL in key": async ({ call, refs }) => {
    const before = await refs();
    const answer = await call({ method: "PUT", url: PROPOSAL_PATH, payload: proposal("a\u0000.md") });
    expect(answer.statusCode).toBe(422);
    expect(await refs()).toEqual(before);
  },
  "negative zero, fraction, huge page size": refused(...["-0", "1.5", "1e10"].map(withSeq)),
  "trailing garbage or two documents": refused("{} {}", '{"seq":1,"changes":[]}x'),
  "top level not an object": refused("[]", '"x"', "1", "null"),
  "a million members": async ({ call }) => {
    const payload = `{${Array.from({ length: 1_000_000 }, (_, at) => `"a${at}":0`).join(",")}}`;
    const headers = { "content-type": JSON_TYPE };
    expect((await call({ method: "PUT", url: PROPOSAL_PATH, headers, payload })).statusCode).toBe(413);
  },
  "every good key of paths-good.json": async ({ call }) => {
    for (const key of goodKeys()) {
      const url = `${SHOP_PATH}/memories/${key.split("/").map(encodeURIComponent).join("/")}`;
      const answer = await call({ url });
      expect([key, answer.statusCode]).toEqual([key, 404]);
    }
    const [first = ""] = goodKeys();
    const answer = await call({ method: "PUT", url: PROPOSAL_PATH, payload: proposal(first, MEMORY) });
    expect(answer.statusCode).toBe(201);
  },
};

function goodKeys(): string[] {
  const path = new URL("../../fixtures/corpora/paths-good.json", import.meta.url);
  const entries = JSON.parse(readFileSync(path, "utf8")) as (string | { key: string })[];
  return entries.map((entry) => (typeof entry === "string" ? entry : entry.key));
}
