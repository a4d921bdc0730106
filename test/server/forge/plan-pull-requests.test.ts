import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PullRequest } from "../../../server/forge/forge.ts";
import { LABEL, pickRequest, planPullRequests } from "../../../server/forge/plan-pull-requests.ts";
import type { OpenSummary } from "../../../server/forge/proposal-text.ts";
import { toPullRequestText } from "../../../server/forge/pull-request-text.ts";

const ID = "01HZZZZZZZZZZZZZZZZZZZZZZZ";
const SUMMARY: OpenSummary = { id: ID, head: "a".repeat(40), createdAt: new Date(0), conflicts: [] };

function requestOf(summary: OpenSummary, change: Partial<PullRequest> = {}): PullRequest {
  const text = { ...summary, project: "p", by: "Ana", title: "T", changes: [], checks: [], alike: [] };
  const { title, body } = toPullRequestText(text);
  const rest = { number: 1, branch: `team-memory/${summary.id}`, url: "", mergeCommit: null, updatedAt: new Date(0) };
  return { ...rest, title, body, state: "open", labels: [LABEL], ...change };
}

function plan(open: readonly OpenSummary[], requests: readonly PullRequest[], end: "merged" | "closed" | null = null) {
  const byId = new Map(requests.map((request) => [request.branch.split("/")[1] ?? "", request]));
  return planPullRequests({ open, requests: byId, endOf: () => end }).map(({ kind }) => kind);
}

describe("planPullRequests", () => {
  it.each([
    ["none yet", [SUMMARY], [], ["open"]],
    ["as it should be", [SUMMARY], [requestOf(SUMMARY)], []],
    ["another head", [{ ...SUMMARY, head: "b".repeat(40) }], [requestOf(SUMMARY)], ["rewrite"]],
    ["a new conflict", [{ ...SUMMARY, conflicts: ["a.md"] }], [requestOf(SUMMARY)], ["rewrite"]],
    ["its text was taken out", [SUMMARY], [requestOf(SUMMARY, { body: "" })], ["rewrite"]],
    ["no label", [SUMMARY], [requestOf(SUMMARY, { labels: [] })], ["announce"]],
    ["closed there", [SUMMARY], [requestOf(SUMMARY, { state: "closed", body: "" })], []],
    ["merged there", [SUMMARY], [requestOf(SUMMARY, { state: "merged", labels: [] })], []],
  ] as const)("%s", (_, open, requests, steps) => {
    expect(plan(open, requests)).toEqual(steps);
  });

  it("settles one whose proposal has ended, and leaves alone what is no proposal that is known", () => {
    expect(plan([], [requestOf(SUMMARY)], "merged")).toEqual(["settle"]);
    expect(plan([], [requestOf(SUMMARY, { state: "closed" })], "closed")).toEqual([]);
    expect(plan([], [requestOf(SUMMARY)], null)).toEqual([]);
  });
});

it("of several pull requests of one branch the same one counts, in whatever order they are told", () => {
  const request = fc.record({
    number: fc.integer({ min: 1, max: 5 }),
    state: fc.constantFrom("open", "merged", "closed"),
  });
  const list = fc.uniqueArray(request, { selector: ({ number }) => number, minLength: 1 });
  fc.assert(
    fc.property(list, fc.infiniteStream(fc.nat()), (some, order) => {
      const all = some.map((change) => requestOf(SUMMARY, change));
      const shuffled = all.map((one) => ({ one, at: order.next().value })).sort((a, b) => a.at - b.at);
      const one = all.reduce(pickRequest);
      expect(shuffled.map((row) => row.one).reduce(pickRequest).number).toBe(one.number);
      if (all.some(({ state }) => state === "open")) expect(one.state).toBe("open");
    }),
  );
});
