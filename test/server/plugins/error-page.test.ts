import { describe, expect, it } from "vitest";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { handEngine, SHOP_PATH } from "../hand-engine.ts";
import { bearer, openTestApp } from "../open-test-app.ts";

const ID = "01JH0000000000000000000000";
const PROPOSAL_PATH = `${SHOP_PATH}/proposals/${ID}`;
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe("an address of the API in a browser", () => {
  it("tells of a proposal's link by which command it is seen, and nothing of the proposal", async () => {
    const { engine, calls } = handEngine();
    const { app } = await openTestApp({ engine: async () => engine });
    const answer = await app.inject({ url: PROPOSAL_PATH, headers: BROWSER });
    expect([answer.statusCode, answer.headers["content-type"]]).toEqual([401, "text/html; charset=utf-8"]);
    expect(answer.body).toContain("A proposal to the memory of github.com/acme/shop");
    expect(answer.body).toContain(`team-memory review show ${ID}`);
    expect(answer.headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    expect(answer.body).not.toMatch(/<script|style|onload|https?:/i);
    expect(calls).toEqual([]);
    const other = await app.inject({ url: PROPOSAL_PATH.replace("shop", "nothing"), headers: BROWSER });
    expect(other.body.replaceAll("nothing", "shop")).toBe(answer.body);
  });

  it.each([
    { name: "an address without a route", url: "/review", status: 404, words: "Could not find GET on this address" },
    { name: "the API", url: "/v1/projects", status: 401, words: "no token that is valid here" },
    { name: "markup", url: `/v1/projects/<b>&'"/proposals/${ID}`, status: 401, words: "no token that is valid here" },
    { name: "what programs watch", url: "/metrics", status: 401, words: "Run team-memory join LINK" },
  ])("says of $name what is wrong and what to do", async ({ url, status, words }) => {
    const { app } = await openTestApp();
    const answer = await app.inject({ url, headers: BROWSER });
    expect([answer.statusCode, answer.headers["content-type"]]).toEqual([status, "text/html; charset=utf-8"]);
    expect(answer.body).toContain(words);
    expect(answer.body).toContain("This is team-memory");
  });

  it("escapes the words of a refusal", async () => {
    const { engine } = handEngine({
      listProjects: async () => {
        throw new TeamMemoryError("not_found", `Could not find <img src=x onerror="alert(1)"> & 'more'`);
      },
    });
    const { app, tokenFor } = await openTestApp({ engine: async () => engine });
    const headers = { ...BROWSER, ...bearer(await tokenFor("reader")) };
    const answer = await app.inject({ url: "/v1/projects", headers });
    expect(answer.body).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;more&#39;");
    expect(answer.body).not.toContain("<img");
  });

  it.each([
    { name: "a program", headers: {} },
    { name: "a program that takes anything", headers: { accept: "*/*" } },
    { name: "a program that names JSON", headers: { accept: "application/json, text/htmlx" } },
  ])("stays JSON for $name", async ({ headers }) => {
    const { app } = await openTestApp();
    const answer = await app.inject({ url: PROPOSAL_PATH, headers });
    expect([answer.statusCode, answer.json().error.code]).toEqual([401, "unauthorized"]);
  });

  it("stays JSON for what a browser's form could send, and for who has a token", async () => {
    const { app, tokenFor } = await openTestApp();
    const posted = await app.inject({ method: "POST", url: `${PROPOSAL_PATH}/approve`, headers: BROWSER });
    expect(posted.json().error.code).toBe("unauthorized");
    const headers = { ...BROWSER, ...bearer(await tokenFor("reader")) };
    expect((await app.inject({ url: PROPOSAL_PATH, headers })).json()).toMatchObject({ id: ID });
  });
});
