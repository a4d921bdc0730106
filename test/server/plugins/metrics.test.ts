import { describe, expect, it } from "vitest";
import { buildMetrics } from "../../../server/plugins/metrics.ts";
import { memoryText } from "../../support/memory-text.ts";
import { SHOP_PATH } from "../hand-engine.ts";
import { bearer, openTestApp, realEngine } from "../open-test-app.ts";

const PUT = `${SHOP_PATH}/proposals/01JH0000000000000000000000`;

describe("/metrics", () => {
  it.each([
    { who: "nobody", role: null, status: 401 },
    { who: "a reader of some projects", role: "some", status: 403 },
    { who: "a reader of all", role: "all", status: 200 },
  ])("answers $who with $status", async ({ role, status }) => {
    const { app, tokenFor } = await openTestApp();
    const token = role === null ? "wrong" : await tokenFor("reader", ...(role === "some" ? ["github.com/acme/*"] : []));
    expect((await app.inject({ url: "/metrics", headers: bearer(token) })).statusCode).toBe(status);
  });

  it("says what the service has done and how it stands, and names no project, person or key", async () => {
    const { app, tokenFor } = await openTestApp({ engine: realEngine });
    const headers = bearer(await tokenFor("contributor"));
    const text = memoryText("Testing", "how we test", "feedback");
    const payload = { seq: 1, changes: [{ key: "feedback_testing.md", baseBlob: null, text }] };
    expect((await app.inject({ method: "PUT", url: PUT, headers, payload })).statusCode).toBe(201);
    const answer = await app.inject({ url: "/metrics", headers });
    expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=/);
    expect(answer.body).toContain("team_memory_open_proposals 1\n");
    expect(answer.body).toContain("team_memory_writes_waiting 0\n");
    const counted = 'team_memory_answer_seconds_count{route="/v1/projects/:project/proposals/:id",status="201"} 1\n';
    expect(answer.body).toContain(counted);
    expect(answer.body).not.toMatch(/acme|shop|feedback_testing/);
  });

  it("keeps services in one process apart", async () => {
    const [one, other] = [buildMetrics(), buildMetrics()];
    one.git.pushed("lost", 5);
    const none = { snapshotAgeSeconds: 0, writesWaiting: 0, openProposals: 0, projects: 0, held: 0, remotesNotOpen: 0 };
    const stats = { ...none, quarantined: 2 };
    const texts = await Promise.all([one, other].map((metrics) => metrics.print(async () => stats)));
    expect(texts.map((text) => text.includes('pushes_total{result="lost"} 1'))).toEqual([true, false]);
    expect(texts[0]).toContain("team_memory_quarantined_files 2\n");
  });
});
