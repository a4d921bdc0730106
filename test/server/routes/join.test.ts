import { describe, expect, it } from "vitest";
import type { People } from "../../../server/people/open-people.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { bearer, openTestApp } from "../open-test-app.ts";

async function inviteOne(people: People): Promise<string> {
  const grant = { role: "contributor" as const, projects: ["*"] };
  const [invited] = await people.createInvites({ grant, name: null, email: null, origin: "admin" }, 1);
  return invited?.code ?? "";
}

describe("POST /v1/join", () => {
  it("gives who sends a token along their own person and token back, and a stranger new ones", async () => {
    const { app, people } = await openTestApp();
    const join = async (headers: Record<string, string>, name = "Ana") => {
      const payload = { code: await inviteOne(people), name };
      return (await app.inject({ method: "POST", url: "/v1/join", headers, payload })).json();
    };
    const first = await join({});
    const again = await join(bearer(first.token));
    expect([again.token, again.person]).toEqual([first.token, first.person]);
    expect((await join({}, "Rita")).person.id).not.toBe(first.person.id);
  });

  it.each(["name", "email", "machine"])("refuses a secret as %s and leaves the invite unused", async (field) => {
    const { app, people } = await openTestApp();
    const code = await inviteOne(people);
    const secret = ["gh", "p_k3J9dQ2xW8rT5yU1iO7pA4sD6fG0hL3zX9cV"].join("");
    const value = field === "email" ? `${secret}@acme.example` : secret;
    const answer = await app.inject({ method: "POST", url: "/v1/join", payload: { code, [field]: value } });
    expect([answer.statusCode, answer.json().error]).toMatchObject([422, { code: "secret_found", details: { field } }]);
    expect(answer.body).not.toContain(secret.slice(4, 12));
    expect(await people.inviteExpiry(code)).not.toBeNull();
  });

  it.each([
    { name: "a token of nobody's", authorization: "Bearer tmt_nobody" },
    { name: "ten thousand letters", authorization: `Bearer ${"x".repeat(10_000)}` },
    { name: "another scheme", authorization: "Basic YTpi" },
  ])("takes $name for none", async ({ authorization }) => {
    const { app, people } = await openTestApp();
    const payload = { code: await inviteOne(people) };
    const answer = await app.inject({ method: "POST", url: "/v1/join", headers: { authorization }, payload });
    expect(answer.statusCode).toBe(200);
    expect((await people.list()).people.people).toHaveLength(1);
  });

  it("takes as many projects as a clone can be about, and not one that is no name", async () => {
    const { app, people } = await openTestApp();
    const join = async (projects: readonly string[]) => {
      const payload = { code: await inviteOne(people), projects };
      return (await app.inject({ method: "POST", url: "/v1/join", payload })).statusCode;
    };
    const names = Array.from({ length: LIMITS.joinProjectsMax + 1 }, (_, at) => `github.com/acme/p${at}`);
    expect(await join(names.slice(1))).toBe(200);
    for (const bad of [names, [], ["../shop"], ["Shop"]]) expect(await join(bad)).toBe(400);
  });

  it("says of a bad code the same with a token as without", async () => {
    const { app, tokenFor } = await openTestApp();
    const payload = { code: "x".repeat(32) };
    const known = bearer(await tokenFor("admin"));
    const [one, other] = await Promise.all(
      [known, {}].map((headers) => app.inject({ method: "POST", url: "/v1/join", headers, payload })),
    );
    expect([one?.statusCode, one?.body]).toEqual([403, other?.body]);
  });
});
