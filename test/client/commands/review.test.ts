import type { IncomingMessage } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../shared/errors/codes.ts";
import type { StubService } from "../stub-service.ts";
import { type Developer, startWork } from "./support.ts";

const ONE = "01JQAB00000000000000000001";
const TWO = "01JQAB11111111111111111112";
const PROPOSALS = "/v1/projects/github.com~acme~shop/proposals";

describe("review", () => {
  let dev: Developer;
  let asked: { line: string; body: unknown }[];

  beforeEach(async () => {
    const [developer, service] = await startWork({});
    dev = developer;
    asked = answerReviews(service);
  });

  it.each([
    ["its whole id", ONE],
    ["its id in lower case", ONE.toLowerCase()],
    ["the beginning of its id", "01JQAB0"],
    ["that in lower case", "01jqab0"],
    ["its branch", `team-memory/${ONE}`],
    ["its branch at the remote", `origin/team-memory/${ONE}`],
    ["its link", `http://stub/review/${ONE}`],
  ])("shows a proposal by %s", async (_, said) => {
    const shown = await dev.call(`review show ${said}`);
    expect(shown).toMatchObject({ exit: EXIT.ok, data: { proposal: { id: ONE } } });
    expect(shown.text).toContain("@@ -0,0 +1,1 @@\n+New.");
  });

  it.each([
    ["show", "01JQAB", /^More than one open proposal begins so: 01JQAB0\w+, 01JQAB1\w+ \(usage\)$/],
    ["approve", "01JQA", /^Say 6 characters of the proposal's id, or more: 01JQA \(usage\)$/],
    ["show", "01JQAB2", /^No open proposal begins with 01JQAB2 \(not_found\)$/],
    ["show", "../secrets?", /^Not a proposal's id: .* \(usage\)$/],
    ["show", ONE.replace(/1$/, "3"), /^Could not find proposal .* \(not_found\)$/],
    ["show", `${ONE} a.md`, /^review show takes one proposal \(usage\)$/],
    ["approve", `${ONE} --reason because`, /^review approve takes no --reason \(usage\)$/],
    ["show", `${ONE} --head 123`, /^review show takes no --head \(usage\)$/],
    ["close", `${ONE} --reason no --head 123`, /^review close takes no --head \(usage\)$/],
    ["list", "--reason because", /^review list takes no --reason \(usage\)$/],
    ["list", ONE, /^Too many arguments for review list: 2 \(usage\)$/],
    ["frobnicate", ONE, /^No such review command: frobnicate \(usage\)$/],
    ["approve", `${ONE} ../a.md`, /\(path_traversal\)$/],
  ])("refuses: %s %s", async (verb, said, message) => {
    expect((await dev.call(`review ${verb} ${said}`)).text).toMatch(message);
    expect(asked.filter(({ line }) => line.startsWith("POST"))).toEqual([]);
  });

  it("approves and closes what was named, keys as the proposal has them", async () => {
    await dev.call("review approve 01jqab0 a.md team/team/b.md team/c.md --head 2222");
    await dev.call("review close 01jqab1 --reason no");
    expect(asked.filter(({ line }) => line.startsWith("POST"))).toEqual([
      { line: `POST ${PROPOSALS}/${ONE}/approve`, body: { keys: ["a.md", "team/b.md", "c.md"], head: "2222" } },
      { line: `POST ${PROPOSALS}/${TWO}/close`, body: { reason: "no" } },
    ]);
  });
});

describe("review of what was decided before", () => {
  const end = { head: null, diff: [] };

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string, string, number]>([
    ["closed", { ...end, state: "closed", reason: "no" }, {}, "close", CLOSED, EXIT.attention],
    ["closed, by the same words", { ...end, state: "closed", reason: "never" }, {}, "close", SAME, EXIT.ok],
    ["withdrawn", { ...end, state: "withdrawn" }, {}, "close", WITHDRAWN, EXIT.attention],
    ["open", {}, { ...end, state: "closed", reason: "never" }, "close", "", EXIT.ok],
    ["closed by another in between", {}, { ...end, state: "closed", reason: "no" }, "close", CLOSED, EXIT.attention],
    ["merged", { ...end, state: "merged" }, {}, "approve", "It was merged before: nothing has changed", EXIT.ok],
    ["open", {}, { ...end, state: "merged" }, "approve", "", EXIT.ok],
  ])("of one that is %s", async (_, before, after, verb, says, exit) => {
    const [dev, service] = await startWork({});
    answerReviews(service, { before, after });
    const done = await dev.call(`review ${verb} ${ONE}${verb === "close" ? " --reason never" : ""}`);
    expect(done.exit).toBe(exit);
    expect(done.text.split("\n").slice(1).join("\n")).toBe(says);
  });

  it.each([
    [{}, `Approve just this: team-memory review approve ${ONE} --head ${"2".repeat(40)}`],
    [{ ...end, state: "closed" }, "It is closed: nothing is left to decide, and its texts are not kept"],
    [{ ...end, state: "merged" }, "It is merged: nothing is left to decide, and its texts are not kept"],
  ])("shows what can be done with it: %o", async (before, says) => {
    const [dev, service] = await startWork({});
    answerReviews(service, { before, after: {} });
    const { text } = await dev.call(`review show ${ONE}`);
    expect(text.split("\n")).toContain(says);
    expect(text).not.toContain("none");
  });

  it.each([
    ["proposal_finished", 409, "Nothing is left to decide in it; the open ones: team-memory review list"],
    ["bad_request", 400, "What it proposes: team-memory review show ID"],
    ["not_found", 404, "The open ones: team-memory review list"],
    ["unprocessable_proposal", 422, expect.stringContaining("close it with the reason for its author")],
  ])("helps a reviewer, not the author, with %s", async (code, status, usage) => {
    const [dev, service] = await startWork({});
    answerReviews(service, { before: {}, after: {}, refusal: { status, code } });
    const { error } = await dev.call(`review approve ${ONE}`);
    expect(error).toMatchObject({ code, details: { usage } });
  });
});

const CLOSED = "It was closed before: nothing has changed, and your reason is not kept";
const WITHDRAWN = "It was withdrawn before: nothing has changed, and your reason is not kept";
const SAME = "It was closed before: nothing has changed";

interface Story {
  readonly before: Record<string, unknown>;
  /** What a decision changes. */
  readonly after: Record<string, unknown>;
  readonly refusal?: { readonly status: number; readonly code: string };
}

/** Two open proposals, and nothing else. */
function answerReviews(
  service: StubService,
  story: Story = { before: {}, after: {} },
): { line: string; body: unknown }[] {
  const asked: { line: string; body: unknown }[] = [];
  service.intercept = (request, response) => {
    if (request.url?.startsWith(PROPOSALS) !== true) return false;
    void readJson(request).then((body) => {
      asked.push({ line: `${request.method} ${request.url}`, body });
      const { status, json } = answerTo(request.url?.slice(PROPOSALS.length) ?? "", story, request.method === "POST");
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
    });
    return true;
  };
  return asked;
}

function answerTo(path: string, { before, after, refusal }: Story, isDecision: boolean) {
  if (path === "") return { status: 200, json: { proposals: [proposal(ONE), proposal(TWO)] } };
  const [id = ""] = path.slice(1).split("/");
  if (isDecision && refusal !== undefined) return refused(refusal.status, refusal.code, "No");
  if (id !== ONE && id !== TWO) return refused(404, "not_found", `Could not find proposal ${id}`);
  return { status: 200, json: { ...proposal(id), ...before, ...(isDecision ? after : {}) } };
}

function refused(status: number, code: string, message: string) {
  return { status, json: { error: { code, message, details: {} } } };
}

function proposal(id: string) {
  const at = "2026-03-05T10:00:00Z";
  const change = (key: string) => {
    return { key, kind: "added", baseBlob: null, blob: "3".repeat(40), state: "proposed" };
  };
  return {
    id,
    project: "github.com/acme/shop",
    state: "open",
    seq: 1,
    by: "Ana",
    title: "",
    createdAt: at,
    updatedAt: at,
    branch: `team-memory/${id}`,
    head: "2".repeat(40),
    url: `http://stub/review/${id}`,
    reason: null,
    changes: [change("a.md"), change("team/b.md"), change("c.md")],
    conflicts: [],
    checks: [],
    diff: [{ key: "a.md", before: null, after: "New.\n" }],
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text === "" ? null : JSON.parse(text);
}
