import { describe, expect, it } from "vitest";
import { SHOP_PATH, UPSERT } from "../hand-engine.ts";
import { bearer, openTestApp } from "../open-test-app.ts";

describe("the log", () => {
  it("never holds a token, an invite code, a query or the text of a memory", async () => {
    const { app, people, tokenFor, log } = await openTestApp();
    const token = await tokenFor("admin");
    const grant = { role: "reader" as const, projects: ["*"] };
    const [invited] = await people.createInvites({ grant, name: null, email: null, origin: "admin" }, 1);
    const code = invited?.code ?? "";
    const joined = await app.inject({ method: "POST", url: "/v1/join", payload: { code, name: "Ana" } });
    const text = "---\nname: x\n---\nA text that nobody logs\n";
    const payload = { seq: 1, changes: [{ key: "a.md", baseBlob: null, text }] };
    const url = `${SHOP_PATH}/proposals/01JH0000000000000000000000`;
    await app.inject({ method: "PUT", url, headers: bearer(token), payload });
    await app.inject({ method: "PUT", url, headers: bearer(token), payload: { ...payload, extra: text } });
    await app.inject({ url: `${SHOP_PATH}/memories?since=${code}`, headers: bearer(token) });
    await app.inject({ url: `${SHOP_PATH}/memories/a.md`, headers: bearer(token) });
    const logged = log.join("");
    const secrets = [token, code, joined.json().token, "A text that nobody logs", UPSERT.text.trim(), "?since"];
    for (const secret of secrets) expect(logged).not.toContain(secret);
    expect(logged).toContain('"path":"/v1/join"');
  });

  it.each([
    { name: "an address that is none", toUrl: (secret: string) => `/v1/nowhere/${secret}` },
    { name: "a project", toUrl: (secret: string) => `/v1/projects/github.com~acme~${secret}/head` },
    { name: "a key", toUrl: (secret: string) => `${SHOP_PATH}/memories/${secret}.txt` },
    { name: "a key, percent-encoded", toUrl: (secret: string) => `${SHOP_PATH}/memories/%67${secret.slice(1)}.txt` },
    { name: "a long address, cut", toUrl: (secret: string) => `/v1/${"a/".repeat(133)}${secret}` },
  ])("holds no secret in $name, nor does the answer", async ({ toUrl }) => {
    const { app, tokenFor, log } = await openTestApp();
    const secret = ["gh", "p_k3J9dQ2xW8rT5yU1iO7pA4sD6fG0hL3zX9cV"].join("");
    const answer = await app.inject({ url: toUrl(secret), headers: bearer(await tokenFor("reader")) });
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect(log.join("") + answer.body).not.toContain(secret.slice(4, 12));
  });

  it.each([
    ["/v1/webhooks/", "/v1/webhooks/[masked]"],
    ["/v1/webhooks/github/", "/v1/webhooks/github/[masked]"],
    ["/v1/webhook/", "/v1/webhook/[masked]"],
    ["/webhooks/git/x/", "/webhooks/git/[masked]/[masked]"],
  ])("holds no secret of a webhook that was put behind %s", async (place, logged) => {
    const { app, log } = await openTestApp({ options: { webhookSecrets: ["plain words of a secret"] } });
    const secret = "plainwordsofasecret";
    for (const tail of ["", "?x=1"]) await app.inject({ method: "POST", url: `${place}${secret}${tail}`, payload: {} });
    expect(log.join("")).not.toContain(secret);
    expect(log.join("")).toContain(`"path":"${logged}"`);
  });

  it("shows the address of a webhook as it is", async () => {
    const { app, log } = await openTestApp();
    await app.inject({ method: "POST", url: "/v1/webhooks/github", payload: {} });
    expect(log.join("")).toContain('"path":"/v1/webhooks/github"');
  });

  it("says who wrote and under which request id, and 4xx at info", async () => {
    const { app, tokenFor, log } = await openTestApp();
    const headers = bearer(await tokenFor("reader"));
    const answer = await app.inject({
      method: "PUT",
      url: `${SHOP_PATH}/proposals/01JH0000000000000000000000`,
      headers,
      payload: { seq: 1, changes: [] },
    });
    const lines = log.map((line) => JSON.parse(line));
    const id = answer.headers["x-request-id"];
    expect(lines).toContainEqual(expect.objectContaining({ level: 30, requestId: id, code: "forbidden" }));
    expect(lines).toContainEqual(expect.objectContaining({ requestId: id, status: 403, person: expect.any(String) }));
  });
});
