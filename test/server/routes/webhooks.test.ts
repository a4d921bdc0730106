import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { fromGithub, hmac, PUSH, standard, WEBHOOK_SECRET } from "../forge/webhooks/sign.ts";
import { handEngine } from "../hand-engine.ts";
import { bearer, openTestApp } from "../open-test-app.ts";

const GITEA = { "x-gitea-event": "push", "x-gitea-delivery": "a1" };
const SIGNED: readonly (readonly [name: string, forge: string, headers: Record<string, string>])[] = [
  ["GitHub", "github", fromGithub()],
  ["Gitea", "gitea", { ...fromGithub(), ...GITEA, "x-gitea-signature": hmac(PUSH) }],
  ["Gitea behind what drops its own header", "gitea", { ...GITEA, "x-hub-signature-256": `sha256=${hmac(PUSH)}` }],
  ["Forgejo", "gitea", { ...fromGithub(), ...GITEA, "x-forgejo-signature": hmac(PUSH) }],
  ["GitLab with a secret token", "gitlab", { "x-gitlab-event": "Push Hook", "x-gitlab-token": WEBHOOK_SECRET }],
  ["GitLab with a signing token", "gitlab", { "x-gitlab-event": "Push Hook", ...standard(PUSH) }],
  ["a hook with the secret", "git", { "x-team-memory-token": WEBHOOK_SECRET }],
  ["a hook with a signature", "git", { "x-hub-signature-256": `sha256=${hmac(PUSH)}` }],
];

async function openHooked(secrets: readonly string[] = [WEBHOOK_SECRET]) {
  const { engine, calls } = handEngine();
  const test = await openTestApp({ engine: async () => engine, options: { webhookSecrets: secrets } });
  return {
    ...test,
    looks: () => calls.filter(([name]) => name === "refresh").length,
    post: (forge: string, headers: Record<string, string>, payload: string | Buffer = PUSH) =>
      test.app.inject({ method: "POST", url: `/v1/webhooks/${forge}`, headers: { ...JSON_TYPE, ...headers }, payload }),
  };
}

const JSON_TYPE = { "content-type": "application/json" };
const MINUTE_MS = 60_000;
const timeOf = ({ "webhook-timestamp": time }: Record<string, string>) => ({ "webhook-timestamp": time ?? "" });
const LOOKING = [202, { result: "looking" }];

describe("POST /v1/webhooks/:forge", () => {
  it.each(SIGNED)("looks at the remote for %s", async (_, forge, headers) => {
    const { post, looks } = await openHooked();
    const answer = await post(forge, headers);
    expect([answer.statusCode, answer.json()]).toEqual(LOOKING);
    expect(looks()).toBe(1);
  });

  it.each(SIGNED)("refuses one with another secret for %s", async (_, forge, headers) => {
    const { post, looks } = await openHooked([randomBytes(24).toString("hex")]);
    expect((await post(forge, headers)).statusCode).toBe(401);
    expect(looks()).toBe(0);
  });

  it.each(SIGNED.filter(([name]) => !name.includes("secret")))("refuses other bytes for %s", async (_, forge, head) => {
    const { post, looks } = await openHooked();
    for (const other of [`${PUSH} `, JSON.stringify(JSON.parse(PUSH)), "", Buffer.from([0xff])]) {
      expect((await post(forge, head, other)).statusCode).toBe(401);
    }
    expect(looks()).toBe(0);
  });

  const good = hmac(PUSH);
  it.each([
    ["no signature", "github", {}],
    ["the signature of a service without a secret", "github", { "x-hub-signature-256": "sha256=" }],
    ["one made with an empty secret", "github", { "x-hub-signature-256": `sha256=${hmac(PUSH, "")}` }],
    ["upper case", "github", { "x-hub-signature-256": `sha256=${good.toUpperCase()}` }],
    ["no digits", "github", { "x-hub-signature-256": `sha256=${"z".repeat(64)}` }],
    ["a short one", "github", { "x-hub-signature-256": `sha256=${good.slice(0, 62)}` }],
    ["two in one", "github", { "x-hub-signature-256": `sha256=${good}, sha256=${good}` }],
    ["the older hash", "github", { "x-hub-signature": `sha256=${good}` }],
    ["another forge's header", "github", { "x-gitea-signature": good }],
    ["a wrong one beside a good one", "gitea", { ...fromGithub(), "x-gitea-signature": hmac(PUSH, "x") }],
    ["Gitea's without a secret", "gitea", { "x-gitea-signature": "", "x-hub-signature-256": `sha256=${good}` }],
    ["an empty token", "gitlab", { "x-gitlab-token": "" }],
    ["a token's beginning", "gitlab", { "x-gitlab-token": WEBHOOK_SECRET.slice(0, -1) }],
    ["a token and more", "gitlab", { "x-gitlab-token": `${WEBHOOK_SECRET}x` }],
    ["GitLab's old recording", "gitlab", standard(PUSH, { ageMs: LIMITS.webhookAgeMsMax + MINUTE_MS })],
    ["GitLab's from the future", "gitlab", standard(PUSH, { ageMs: -LIMITS.webhookAgeMsMax - MINUTE_MS })],
    ["GitLab's with another time", "gitlab", { ...standard(PUSH), ...timeOf(standard(PUSH, { ageMs: MINUTE_MS })) }],
    ["GitLab's with another id", "gitlab", { ...standard(PUSH), "webhook-id": "msg-2" }],
    ["GitLab's wrong signature beside a token", "gitlab", { ...standard("x"), "x-gitlab-token": WEBHOOK_SECRET }],
  ])("refuses %s, in the same words as any other", async (_, forge, headers) => {
    const { post, looks, log } = await openHooked();
    const answer = await post(forge, headers);
    expect([answer.statusCode, answer.json().error]).toEqual([401, (await post("git", {})).json().error]);
    expect([looks(), log.join().includes(WEBHOOK_SECRET.slice(0, 12))]).toEqual([0, false]);
  });

  it("takes a signing token as GitLab hands it out, and one signature among several", async () => {
    const key = randomBytes(32);
    const { post } = await openHooked([WEBHOOK_SECRET, `whsec_${key.toString("base64")}`]);
    const signed = standard(PUSH, { key });
    const several = { ...signed, "webhook-signature": `v2,x v1,AAAA ${signed["webhook-signature"]}` };
    expect((await post("gitlab", several)).statusCode).toBe(202);
    const most = `${"v1,AAAA ".repeat(LIMITS.webhookSignaturesMax)}${signed["webhook-signature"]}`;
    expect((await post("gitlab", { ...signed, "webhook-signature": most })).statusCode).toBe(401);
  });

  it("takes the old secret and the new one while one takes the other's place", async () => {
    const { post } = await openHooked([randomBytes(24).toString("hex"), WEBHOOK_SECRET]);
    expect((await post("github", fromGithub())).statusCode).toBe(202);
  });

  it.each([
    ["an unknown forge", "svn", [WEBHOOK_SECRET]],
    ["a name of every object", "constructor", [WEBHOOK_SECRET]],
    ["a service without a secret", "github", []],
  ])("is not there for %s", async (_, forge, secrets) => {
    const { post, looks } = await openHooked(secrets);
    const answer = await post(forge, fromGithub());
    expect([answer.statusCode, answer.json().error.code, looks()]).toEqual([404, "not_found", 0]);
  });

  it("takes a delivery once, and one whose first try was forged still for the first time", async () => {
    const { post } = await openHooked();
    await post("github", { ...fromGithub(), "x-hub-signature-256": `sha256=${hmac("x")}` });
    const results = [];
    for (const id of ["1", "2", "1", "x".repeat(LIMITS.webhookDeliveryIdLengthMax + 1)]) {
      results.push((await post("github", fromGithub(PUSH, id))).json().result);
    }
    expect(results).toEqual(["looking", "looking", "duplicate", "looking"]);
    expect((await post("github", fromGithub())).json()).toEqual({ result: "looking" });
  });

  it("tells apart GitLab's deliveries, which share their webhook's id", async () => {
    const { post } = await openHooked();
    const headers = { "x-gitlab-token": WEBHOOK_SECRET, "x-gitlab-webhook-uuid": "one of all" };
    const keys = ["a", "b", "a"].map((key) => ({ ...headers, "idempotency-key": key }));
    const results = [];
    for (const one of keys) results.push((await post("gitlab", one)).json().result);
    expect(results).toEqual(["looking", "looking", "duplicate"]);
  });

  it.each([
    ["a ping", "github", fromGithub(PUSH, "1", "ping")],
    ["a star", "github", fromGithub(PUSH, "1", "star")],
    ["a comment", "gitlab", { "x-gitlab-event": "Note Hook", "x-gitlab-token": WEBHOOK_SECRET }],
  ])("says yes to %s and looks at nothing", async (_, forge, headers) => {
    const { post, looks } = await openHooked();
    const answer = await post(forge, headers);
    expect([answer.statusCode, answer.json(), looks()]).toEqual([202, { result: "ignored" }, 0]);
  });

  it.each(["pull_request", "pull_request_review", "pull_request_sync", "delete"])("looks after %s", async (event) => {
    const { post } = await openHooked();
    expect((await post("github", fromGithub(PUSH, "1", event))).json()).toEqual({ result: "looking" });
  });

  it.each([
    "application/x-www-form-urlencoded",
    "text/plain",
    "application/json; charset=utf-16",
    "application/octet-stream",
  ])("does not mind the type %s, for only bytes are signed", async (type) => {
    const { post } = await openHooked();
    const body = Buffer.from([0xff, 0x00, 0x7b]);
    const headers = { "content-type": type, "x-hub-signature-256": `sha256=${hmac(body)}` };
    expect((await post("github", headers, body)).statusCode).toBe(202);
  });

  it("takes a body of the bound's size, none at all, and not one byte more", async () => {
    const { post, looks } = await openHooked();
    const token = { "x-team-memory-token": WEBHOOK_SECRET };
    const largest = Buffer.alloc(LIMITS.webhookSizeBytesMax);
    const statuses = [];
    for (const body of [largest, "", Buffer.concat([largest, Buffer.alloc(1)])]) {
      statuses.push((await post("git", token, body)).statusCode);
    }
    expect([statuses, looks()]).toEqual([[202, 202, 413], 1]);
  });

  it("makes no storm of a flood, and counts by forge what became of each", async () => {
    const { app, post, looks, tokenFor } = await openHooked();
    const ids = Array.from({ length: 200 }, (_, at) => String(at));
    const startedAt = Date.now();
    await Promise.all(ids.map((id) => post("github", fromGithub(PUSH, id))));
    expect(looks()).toBeLessThanOrEqual((Date.now() - startedAt) / LIMITS.webhookLookIntervalMs + 1);
    await post("github", fromGithub(PUSH, "0"));
    await post("github", fromGithub(PUSH, "ping", "ping"));
    await post("gitlab", {});
    await post("git", { "x-team-memory-token": "x" }, Buffer.alloc(LIMITS.webhookSizeBytesMax + 1));
    await post("svn", {});
    const { body } = await app.inject({ url: "/metrics", headers: bearer(await tokenFor("reader")) });
    const counted = body.split("\n").filter((line) => line.startsWith("team_memory_webhooks_total"));
    expect(counted.sort()).toEqual([
      'team_memory_webhooks_total{forge="git",result="unread"} 1',
      'team_memory_webhooks_total{forge="github",result="duplicate"} 1',
      'team_memory_webhooks_total{forge="github",result="ignored"} 1',
      'team_memory_webhooks_total{forge="github",result="looking"} 200',
      'team_memory_webhooks_total{forge="gitlab",result="unsigned"} 1',
    ]);
  });

  it("says 202 also where the look fails, and logs it", async () => {
    const { engine } = handEngine({ refresh: () => Promise.reject(new Error("the remote is away")) });
    const options = { webhookSecrets: [WEBHOOK_SECRET] };
    const { app, log } = await openTestApp({ engine: async () => engine, options });
    const request = { method: "POST", url: "/v1/webhooks/github", headers: fromGithub(), payload: PUSH } as const;
    expect((await app.inject(request)).statusCode).toBe(202);
    await expect.poll(() => log.join()).toContain("the remote is away");
  });

  it("stands in /openapi.json with its forges", async () => {
    const { app } = await openTestApp();
    const { paths } = (await app.inject("/openapi.json")).json();
    const { parameters, responses, security } = paths["/v1/webhooks/{forge}"].post;
    expect(parameters[0].schema.enum).toEqual(["github", "gitea", "gitlab", "git"]);
    expect([Object.keys(responses), security]).toEqual([expect.arrayContaining(["202", "401", "404", "413"]), []]);
  });
});
