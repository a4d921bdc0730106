import { describe, expect, it } from "vitest";
import { bearer, openTestApp } from "../open-test-app.ts";

const REVISION = "a".repeat(40);

describe("/v1/base", () => {
  it.each([
    { role: "reader", projects: ["github.com/acme/*"], read: 403, accept: 403 },
    { role: "reader", projects: [], read: 200, accept: 403 },
    { role: "contributor", projects: [], read: 200, accept: 403 },
    { role: "reviewer", projects: ["github.com/acme/*"], read: 403, accept: 403 },
    { role: "reviewer", projects: [], read: 200, accept: 200 },
  ] as const)("answers a $role on $projects reading with $read, accepting with $accept", async (wish) => {
    const { app, tokenFor } = await openTestApp();
    const headers = bearer(await tokenFor(wish.role, ...wish.projects));
    expect((await app.inject({ url: "/v1/base", headers })).statusCode).toBe(wish.read);
    const payload = { revision: REVISION };
    const accept = await app.inject({ method: "POST", url: "/v1/base/accept", headers, payload });
    expect(accept.statusCode).toBe(wish.accept);
  });

  it("takes a whole revision alone", async () => {
    const { app, tokenFor } = await openTestApp();
    const headers = bearer(await tokenFor("reviewer"));
    const payload = { revision: "abc" };
    expect((await app.inject({ method: "POST", url: "/v1/base/accept", headers, payload })).statusCode).toBe(400);
  });
});
