import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { openLog } from "../../server/log.ts";
import { newInviteCode, newToken } from "../../server/people/credentials.ts";
import { ERROR_CODES } from "../../shared/errors/codes.ts";

describe("openLog", () => {
  it.each([...Object.keys(ERROR_CODES), "EADDRINUSE", "HPE_HEADER_OVERFLOW"])("keeps the error code %s", (code) => {
    expect(logged({ code, err: Object.assign(new Error("no"), { code }) })).toMatchObject({ code, err: { code } });
  });

  const [code, token] = [newInviteCode(), newToken()];
  it.each([
    { name: "an invite's code", fact: { code } },
    { name: "an invite's code in capitals", fact: { code: "A".repeat(code.length) } },
    { name: "the body of a join", fact: { body: { code } } },
    { name: "a token", fact: { token } },
    { name: "a token in an answer", fact: { answer: { token } } },
    { name: "an Authorization header", fact: { headers: { authorization: `Bearer ${token}` } } },
    { name: "the secret", fact: { secret: token } },
    { name: "the secret among settings", fact: { settings: { secret: token } } },
  ])("cuts out $name", ({ fact }) => {
    const line = JSON.stringify(logged(fact));
    expect(line).toContain("[Redacted]");
    for (const secret of [code, token, "A".repeat(code.length)]) expect(line).not.toContain(secret);
  });
});

/** The one line that a fact becomes. */
function logged(fact: object): Record<string, unknown> {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  openLog("info", stream).info(fact, "tried");
  return JSON.parse(lines.join(""));
}
