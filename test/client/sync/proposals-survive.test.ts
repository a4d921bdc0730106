import { cp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readMarks } from "../../../client/sync/state/marks-file.ts";
import { readOutbox } from "../../../client/sync/state/outbox.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { ProposalOutcome } from "../../../shared/protocol/schemas.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { memoryText } from "../../support/memory-text.ts";
import { type StubService, startStubService } from "../stub-service.ts";
import { type Desk, makeDesk } from "./support.ts";

const A = memoryText("A", "One.\n\nTwo.\n\nThree.");
const MINE = memoryText("A", "One!\n\nTwo.\n\nThree.");
const NEW = memoryText("New");
const THEIRS = memoryText("New", "In the words of others.");

describe("a proposal survives", () => {
  let service: StubService;
  let desk: Desk;

  beforeEach(async () => {
    service = await startStubService({ "a.md": A });
    desk = await makeDesk(service);
    await desk.pull();
    await desk.write("a.md", MINE);
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("being offline: the same set goes out under the same id by the next run", async () => {
    service.intercept = (_request, response) => Boolean(response.destroy());
    await expect(desk.push()).rejects.toMatchObject({ code: "unreachable" });
    const { open } = readOutbox(desk.context.stateFolder);
    service.intercept = null;
    expect((await desk.push()).kind).toBe("sent");
    expect(service.puts).toMatchObject([{ id: open?.id, request: { seq: 1, changes: [{ key: "a.md", text: MINE }] } }]);
  });

  it("an answer that was lost after it was accepted: sent again, it is the same and one", async () => {
    service.answerPut = () => ({ status: 504, body: {} });
    await expect(desk.push()).rejects.toThrow();
    service.answerPut = null;
    await desk.push();
    const [first, second, ...others] = service.puts;
    expect(second).toEqual(first);
    expect(others).toEqual([]);
    expect((await desk.push()).kind).toBe("unchanged");
    expect(service.puts).toHaveLength(2);
  });

  it("a service that cannot take it now: nothing is forgotten, and a later retry works", async () => {
    for (const code of ["unavailable", "lost_race", "disk_full", "rate_limited", "too_many_proposals"]) {
      service.answerPut = () => refusal(503, code);
      await expect(desk.push()).rejects.toMatchObject({ code });
    }
    service.answerPut = null;
    expect((await desk.push()).kind).toBe("sent");
    expect(new Set(service.puts.map(({ id }) => id)).size).toBe(1);
  });

  it("this client may never write here while its files keep changing: one notice, one try a day, no storm", async () => {
    service.answerPut = () => refusal(403, "forbidden");
    expect((await desk.push()).kind).toBe("forbidden");
    for (const words of ["Two", "Three", "Four"]) {
      await desk.write("a.md", memoryText("A", words));
      expect((await desk.push()).kind).toBe("still_forbidden");
    }
    expect(service.puts).toHaveLength(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + LIMITS.forbiddenRetryMs });
    expect((await desk.push()).kind).toBe("forbidden");
    expect((await desk.push()).kind).toBe("still_forbidden");
    expect(service.puts).toHaveLength(2);
    expect(await desk.read("a.md")).toContain("Four");
  });

  it("may never write here, until another token may: it is tried at once", async () => {
    service.answerPut = () => refusal(403, "forbidden");
    await desk.push();
    service.answerPut = null;
    const joinedAnew = await desk.withToken("tmt_other");
    expect((await joinedAnew.push()).kind).toBe("sent");
  });

  it("being merged with edits: the merged text replaces mine, and mine is kept", async () => {
    await desk.push();
    const merged = memoryText("A", "One!\n\nTwo.\n\nThree, edited.");
    decided({ state: "merged" });
    service.memories.set("a.md", merged);
    const report = await desk.pull();
    expect(report.changes).toEqual([{ key: "a.md", what: "changed" }]);
    expect(report.outcomes).toMatchObject([{ state: "merged" }]);
    expect(await desk.read("a.md")).toBe(merged);
    expect(desk.attic()).toContain(MINE);
    expect((await desk.push()).kind).toBe("nothing");
  });

  it("being merged with edits while I edit on: both are merged from what I had proposed", async () => {
    await desk.push();
    await desk.write("a.md", memoryText("A", "One!!\n\nTwo.\n\nThree."));
    decided({ state: "merged" });
    service.memories.set("a.md", memoryText("A", "One!\n\nTwo.\n\nThree, edited."));
    expect((await desk.pull()).changes).toEqual([{ key: "a.md", what: "merged" }]);
    expect(await desk.read("a.md")).toBe(memoryText("A", "One!!\n\nTwo.\n\nThree, edited."));
    await desk.push();
    expect(new Set(service.puts.map(({ id }) => id)).size).toBe(2);
  });

  it("being squash-merged before an edit is sent: a new proposal from the fresh base with only the new change", async () => {
    await desk.write("new.md", NEW);
    await desk.push();
    const [{ id } = { id: "" }] = service.puts;
    service.memories.set("a.md", MINE).set("new.md", NEW);
    decided({ state: "merged" });
    service.answerPut = (asked) => (asked === id ? refusal(409, "proposal_finished") : null);
    await desk.write("new.md", memoryText("New", "Edited."));
    expect((await desk.push()).kind).toBe("sent");
    const last = service.puts.at(-1);
    expect(last?.id).not.toBe(id);
    expect(last?.request.changes).toEqual([
      { key: "new.md", baseBlob: blobIdOf(NEW), text: memoryText("New", "Edited.") },
    ]);
  });

  it("being closed: mine stays, is not sent again as it is, and goes under a new id once I change it", async () => {
    await desk.push();
    const [{ id } = { id: "" }] = service.puts;
    decided({ state: "closed", reason: "we decided otherwise" });
    expect((await desk.pull()).outcomes).toMatchObject([{ state: "closed", reason: "we decided otherwise" }]);
    const before = service.puts.length;
    expect((await desk.push()).held).toEqual([{ kind: "hold", key: "a.md", because: "rejected" }]);
    expect(service.puts).toHaveLength(before);
    await desk.write("a.md", memoryText("A", "One, in other words.\n\nTwo.\n\nThree."));
    await desk.push();
    expect(service.puts.at(-1)?.id).not.toBe(id);
    expect(service.puts.slice(before).map(({ request }) => request.seq)).toEqual([1]);
  });

  it("being closed while its files were swept away: what was said no to lies where it lay, and is not sent again", async () => {
    await desk.write("new.md", NEW);
    await desk.push();
    await rm(join(desk.context.teamDir, "a.md"));
    await rm(join(desk.context.teamDir, "new.md"));
    decided({ state: "closed", reason: "not now" });
    await desk.pull();
    expect([await desk.read("a.md"), await desk.read("new.md")]).toEqual([MINE, NEW]);
    expect((await desk.push()).kind).toBe("nothing");
    expect(service.puts).toHaveLength(1);
  });

  it("a machine put back from a backup: an outcome of a set that it has forgotten takes none of its texts", async () => {
    await desk.push();
    const folder = dirname(desk.context.stateFolder);
    await cp(folder, `${folder}.backup`, { recursive: true });
    await desk.write("forgotten.md", NEW);
    await desk.push();
    await rm(folder, { recursive: true });
    await rename(`${folder}.backup`, folder);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    await desk.write("new.md", NEW);
    const { id, request } = service.puts.at(-1) ?? { id: "", request: { seq: 0 } };
    service.memories.set("a.md", MINE).set("new.md", THEIRS).set("forgotten.md", NEW);
    decided({ state: "merged" });
    service.answerPut = (asked) => (asked === id ? refusal(409, "proposal_finished") : null);
    await desk.push();
    expect(service.puts.filter((put) => put.id === id).at(-1)?.request.seq).toBeGreaterThan(request.seq);
    expect(await desk.read("new.md")).toBe(THEIRS);
    expect(readMarks(desk.context.stateFolder).get("new.md")?.conflict).toBeDefined();
  });

  it("its branch being deleted: as closed, without a reason, and no retry storm", async () => {
    await desk.push();
    decided({ state: "closed", reason: null });
    await desk.pull();
    for (let round = 0; round < 3; round += 1) await desk.push();
    expect(service.puts).toHaveLength(1);
    expect(await desk.read("a.md")).toBe(MINE);
  });

  it("a reviewer leaving out a key: that one is rejected, the other goes on", async () => {
    await desk.write("new.md", NEW);
    await desk.push();
    decided({ state: "open", rejected: ["new.md"], reason: "not this one" });
    expect((await desk.pull()).outcomes).toMatchObject([{ rejected: ["new.md"] }]);
    await desk.push();
    expect(service.puts.at(-1)?.request.changes).toMatchObject([{ key: "a.md" }]);
    expect(await desk.read("new.md")).toBe(NEW);
  });

  it("a base that moved under it: pulled and merged, and the outcome is sent by the same run", async () => {
    const theirs = memoryText("A", "One.\n\nTwo.\n\nThree?");
    const details = { keys: [{ key: "a.md", code: "conflict", message: "The base changed it" }] };
    service.memories.set("a.md", theirs);
    service.answerPut = (_id, { changes }) =>
      changes.some(({ baseBlob }) => baseBlob !== blobIdOf(theirs)) ? refusal(409, "conflict", details) : null;
    expect((await desk.push()).kind).toBe("sent");
    expect(service.puts.at(-1)?.request.changes).toMatchObject([{ text: memoryText("A", "One!\n\nTwo.\n\nThree?") }]);
    expect((await desk.push()).kind).toBe("unchanged");
  });

  it("a base that lost the memory while it was pushed by name: it is held, for nobody knew that it was gone", async () => {
    const details = { keys: [{ key: "a.md", code: "conflict", message: "The base changed it" }] };
    service.memories.delete("a.md");
    service.answerPut = (_id, { changes }) => (changes.length > 0 ? refusal(409, "conflict", details) : null);
    expect((await desk.push("a.md")).held).toMatchObject([{ key: "a.md" }]);
    expect(service.puts.flatMap(({ request }) => request.changes).map(({ baseBlob }) => baseBlob)).not.toContain(null);
    expect(await desk.read("a.md")).toBe(MINE);
    service.answerPut = null;
    expect((await desk.push("a.md")).keys).toEqual(["a.md"]);
    expect(service.puts.at(-1)?.request.changes).toMatchObject([{ key: "a.md", baseBlob: null, text: MINE }]);
  });

  it("keys that the service will not take: the others are sent, and no session asks again", async () => {
    await desk.write("new.md", NEW);
    const details = { keys: [{ key: "new.md", code: "stale_text", message: "The team removed this text" }] };
    service.answerPut = (_id, { changes }) =>
      changes.some(({ key }) => key === "new.md") ? refusal(422, "unprocessable_proposal", details) : null;
    const report = await desk.push();
    expect(report).toMatchObject({ kind: "sent", keys: ["a.md"], problems: [{ key: "new.md", code: "stale_text" }] });
    const asked = service.puts.length;
    for (let round = 0; round < 3; round += 1) await desk.push();
    expect(service.puts).toHaveLength(asked);
  });

  it("a secret in one of its files: the others are sent, the finding is named, its value never", async () => {
    const value = "xK9wq7ZtHunter2pLmQ4";
    await desk.write("deploy.md", memoryText("Deploy", `First line.\npassword: "${value}"`));
    await desk.write("token.md", memoryText(`api_key=${value}`));
    await desk.write(`ghp_${"a1B2c3D4e5F6".repeat(3)}.md`, memoryText("Name"));
    const report = await desk.push();
    expect(report.keys).toEqual(["a.md"]);
    expect(report.problems.map(({ key, code }) => `${code} ${key}`)).toEqual([
      "secret_found deploy.md",
      expect.stringMatching(/^secret_found ghp_\*+$/),
      "secret_found token.md",
    ]);
    expect(report.problems[0]?.message).toMatch(/line 7 .*\(.+\)/);
    expect(report.problems[1]?.message).toMatch(/its name holds a secret \(.+\)/);
    expect(report.problems.map(({ message }) => message).join()).not.toContain("a1B2c3D4");
    expect(JSON.stringify(report)).not.toMatch(/xK9wq7Zt|a1B2c3D4/);
    expect(JSON.stringify(service.puts)).not.toMatch(/xK9wq7Zt|a1B2c3D4/);
  });

  function decided(outcome: Partial<ProposalOutcome>): void {
    const { id, request } = service.puts.at(-1) ?? { id: "", request: { seq: 0 } };
    const url = `http://stub/review/${id}`;
    service.outcomes.set(id, { state: "open", seq: request.seq, reason: null, rejected: [], url, ...outcome });
  }
});

function refusal(status: number, code: string, details: object = {}) {
  return { status, body: { error: { code, message: "No", details } } };
}
