/** The life of a pull request, over a real repository: whatever befalls it, it and its proposal come to agree. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../../server/sync/engine.ts";
import { toProposalRef } from "../../../server/sync/proposal/refs.ts";
import { formatMessage } from "../../../server/sync/proposal/trailers.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { FakeForge } from "../../support/fake-forge/start-forge.ts";
import { gitEnvironment } from "../../support/git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { mustRun } from "../../support/run.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { ANA, RITA, SHOP, SHOP_FOLDER, toRequest } from "../sync/support.ts";
import { KINDS, openTeam, propose, serve, TEXT, until } from "./support.ts";

const fileOf = (key: string) => `${SHOP_FOLDER}/${key}`;

/** Looks at the remote and at the forge, as a webhook makes it, until the proposal has ended. */
async function ended(engine: Engine, id: string) {
  await until(async () => {
    await engine.refresh();
    return (await engine.proposal(SHOP, id)).state !== "open";
  });
  return engine.proposal(SHOP, id);
}

async function quiet({ calls }: FakeForge): Promise<void> {
  for (let before = -1; before !== calls.length; ) {
    before = calls.length;
    await pause(500);
  }
}

function only(forge: FakeForge) {
  const [request] = forge.all;
  if (request === undefined || forge.all.length > 1) throw new Error(`${forge.all.length} pull requests`);
  return request;
}

describe("a proposal", () => {
  it.each(KINDS)(
    "on %s has a pull request with its address when it is answered, and a changed one is rewritten",
    async (kind) => {
      const { forge, engine } = await openTeam(kind, { reviewers: ["rita"] });
      const { proposal } = await propose(engine, { "a.md": TEXT });
      expect(proposal.url).toMatch(new RegExp(`^${forge.pageUrl}/.*/1$`));
      await until(() => only(forge).labels.length > 0);
      expect(only(forge)).toMatchObject({ title: proposal.title, state: "open", labels: ["team-memory"] });
      await engine.putProposal(SHOP, proposal.id, toRequest({ "a.md": TEXT, "b.md": TEXT }, { seq: 2 }), ANA);
      await engine.refresh();
      await until(() => only(forge).body.includes("`b.md`"));
      expect(only(forge).title).toBe("Propose a.md and 1 more");
    },
  );

  it("keeps what people wrote around its text, and the title that they gave it", async () => {
    const { forge, engine } = await openTeam();
    const { proposal } = await propose(engine, { "a.md": TEXT });
    const request = only(forge);
    forge.touch(request, { title: "Hold until Monday", body: `Before.\r\n\r\n${request.body}\r\n\r\nAfter.` });
    await engine.putProposal(SHOP, proposal.id, toRequest({ "a.md": TEXT, "b.md": TEXT }, { seq: 2 }), ANA);
    await engine.refresh();
    await until(() => request.body.includes("`b.md`"));
    expect(request.title).toBe("Hold until Monday");
    expect(request.body).toMatch(/^Before\.[\s\S]*`a\.md`[\s\S]*After\.$/);
    expect(request.body.match(/team-memory:begin/g)).toHaveLength(1);
  });

  it("whose service was killed before it had one gets it from the next; two at once open one", async () => {
    const { forge, engine, desk } = await openTeam();
    await desk.stop();
    const { proposal } = await propose(engine, { "a.md": TEXT });
    expect(proposal.url).toContain("/v1/projects/");
    expect(forge.all).toEqual([]);
    await Promise.all([serve(forge), serve(forge)]);
    await until(() => forge.all.length > 0 && only(forge).labels.length > 0);
    expect(only(forge)).toMatchObject({ branch: proposal.branch });
  });

  it("is taken although the forge is down, and gets its pull request once it is back", async () => {
    const { forge, engine, desk } = await openTeam();
    forge.before = () => ({ status: 503 });
    const beganAt = performance.now();
    const { proposal } = await propose(engine, { "a.md": TEXT });
    expect(performance.now() - beganAt).toBeLessThan(LIMITS.forgeOpenWaitMs);
    expect(proposal).toMatchObject({ state: "open", url: expect.stringContaining("/v1/projects/") });
    forge.before = () => null;
    await desk.stop();
    await serve(forge);
    await until(() => forge.all.length > 0);
    expect(only(forge).branch).toBe(proposal.branch);
  });

  it("whose branch is gone while the forge is down is not called closed until the forge says so", async () => {
    const { forge, engine } = await openTeam();
    const { proposal } = await propose(engine, { "a.md": TEXT });
    const edits = { [fileOf("a.md")]: memoryText("Testing", "said better") };
    forge.before = () => ({ status: 503 });
    await forge.mergeInBrowser(only(forge), { squash: true, deletesBranch: true, message: "Better", edits });
    for (let look = 0; look < 3; look += 1) await engine.refresh();
    expect(await engine.proposal(SHOP, proposal.id)).toMatchObject({ state: "open" });
    forge.before = () => null;
    expect(await ended(engine, proposal.id)).toMatchObject({ state: "merged" });
  });

  it("that the forge will not label is not tried at each look", async () => {
    const { forge, engine } = await openTeam();
    forge.before = (call) => (call.includes("/labels") ? { status: 403, body: { message: "not you" } } : null);
    await propose(engine, { "a.md": TEXT });
    const tries = () => forge.calls.filter((call) => call.includes("/labels")).length;
    await until(() => tries() > 0);
    for (let look = 0; look < 5; look += 1) await engine.refresh();
    expect(tries()).toBeLessThanOrEqual(2);
  });
});

describe("in the browser", () => {
  it.each(KINDS)(
    "on %s a close without merging ends it, with the last word; the same text is not proposed again",
    async (kind) => {
      const { forge, engine } = await openTeam(kind);
      const { proposal } = await propose(engine, { "a.md": TEXT });
      forge.closeInBrowser(only(forge), "Not\u001b[31m like this.");
      expect(await ended(engine, proposal.id)).toMatchObject({
        state: "closed",
        reason: "Not like this.",
        changes: [{ key: "a.md", state: "rejected" }],
      });
      expect(await forge.headOf(proposal.branch)).toBeNull();
      expect(forge.all).toHaveLength(1);
    },
  );

  it.each([
    ["squashed, with an edit and words of their own, the branch deleted", { squash: true, deletesBranch: true }],
    ["squashed, with an edit and words of their own, the branch left", { squash: true, deletesBranch: false }],
    ["merged with an edit", { squash: false, deletesBranch: true }],
  ])("%s: merged, and what was left out is rejected", async (_, how) => {
    const { forge, engine } = await openTeam();
    const { proposal } = await propose(engine, { "a.md": TEXT, "b.md": TEXT });
    const edits = { [fileOf("a.md")]: memoryText("Testing", "said better"), [fileOf("b.md")]: null };
    await forge.mergeInBrowser(only(forge), { ...how, message: "Better words", edits });
    expect(await ended(engine, proposal.id)).toMatchObject({ state: "merged" });
    const { changes } = await engine.proposal(SHOP, proposal.id);
    expect(new Map(changes.map(({ key, state }) => [key, state]))).toEqual(
      new Map([
        ["a.md", "merged"],
        ["b.md", "rejected"],
      ]),
    );
    expect(await forge.headOf(proposal.branch)).toBeNull();
  });

  it("merged with edits and its branch deleted while no service ran: merged, not closed", async () => {
    const cacheFolder = join(await tempDir(), "cache");
    const { forge } = await openTeam();
    const first = await serve(forge, {}, cacheFolder);
    const { proposal } = await propose(first.engine, { "a.md": TEXT });
    await until(() => forge.all.length > 0);
    await first.engine.stop();
    const edits = { [fileOf("a.md")]: memoryText("Testing", "said better") };
    await forge.mergeInBrowser(only(forge), { squash: true, deletesBranch: true, message: "Better", edits });
    const { engine } = await serve(forge, {}, cacheFolder);
    expect(await engine.proposal(SHOP, proposal.id)).toMatchObject({ state: "merged" });
  });

  it("a commit on the branch stays when its author sends more; taking a file's change back refuses it alone", async () => {
    const { forge, engine } = await openTeam();
    const { proposal } = await propose(engine, { "a.md": TEXT, "b.md": TEXT });
    await forge.commitFiles(proposal.branch, { [fileOf("a.md")]: memoryText("Testing", "by Rita") }, "Better");
    await forge.commitFiles(proposal.branch, { [fileOf("b.md")]: null }, "Not this one");
    const human = (await forge.headOf(proposal.branch)) ?? "";
    await engine.refresh();
    await engine.putProposal(
      SHOP,
      proposal.id,
      toRequest({ "a.md": TEXT, "b.md": TEXT, "c.md": TEXT }, { seq: 2 }),
      ANA,
    );
    const contained = await forge.git(["branch", "--contains", human, "--format=%(refname:short)"]);
    expect(contained.split("\n")).toContain(proposal.branch);
    await forge.mergeInBrowser(only(forge), { deletesBranch: true });
    const { changes } = await ended(engine, proposal.id);
    expect(changes.find(({ key }) => key === "c.md")).toMatchObject({ state: "merged" });
    expect((await engine.memory(SHOP, "a.md" as never)).text).toContain("by Rita");
    await expect(engine.memory(SHOP, "b.md" as never)).rejects.toMatchObject({ code: "not_found" });
  });

  it("a pull request of a fork with the branch's name decides nothing", async () => {
    const { forge, engine } = await openTeam();
    const { proposal } = await propose(engine, { "a.md": TEXT });
    const fork = await forge.open({ branch: proposal.branch, base: "main", title: "Mine", body: "" }, true);
    forge.closeInBrowser(fork, "Closed by a stranger");
    for (let look = 0; look < 3; look += 1) await engine.refresh();
    expect(await engine.proposal(SHOP, proposal.id)).toMatchObject({ state: "open" });
  });

  it("is found by the clock where no webhook told of it", async () => {
    const { forge, engine } = await openTeam("github", { lookIntervalMs: 200 });
    const { proposal } = await propose(engine, { "a.md": TEXT });
    forge.closeInBrowser(only(forge), "No.");
    await until(async () => (await engine.proposal(SHOP, proposal.id)).state !== "open");
    expect(await engine.proposal(SHOP, proposal.id)).toMatchObject({ state: "closed", reason: "No." });
  });
});

describe("reviewed here", () => {
  it.each(KINDS)("on %s an approval of all is the forge's own merge, at the head that was seen", async (kind) => {
    const { forge, engine } = await openTeam(kind);
    const { proposal } = await propose(engine, { "a.md": TEXT });
    expect(await engine.approve(SHOP, proposal.id, {}, RITA)).toMatchObject({ state: "merged" });
    expect(only(forge)).toMatchObject({ state: "merged" });
    expect(await forge.git(["log", "-1", "--format=%B", "main"])).toContain("Reviewed-by: Rita Reviewer");
    expect((await engine.memory(SHOP, "a.md" as never)).changedBy).toBe("Ana Author");
  });

  it("a refusal of the forge is told in its words, and the proposal stays", async () => {
    const { forge, engine } = await openTeam();
    const { proposal } = await propose(engine, { "a.md": TEXT });
    forge.before = (call) =>
      call.endsWith("/merge") ? { status: 422, body: { message: "2 approving reviews are required" } } : null;
    const refused = engine.approve(SHOP, proposal.id, {}, RITA);
    await expect(refused).rejects.toMatchObject({
      code: "remote_refused",
      message: expect.stringContaining("2 approving reviews"),
    });
    expect(await engine.proposal(SHOP, proposal.id)).toMatchObject({ state: "open" });
  });

  it("an approval lands by git where the forge makes no pull request", async () => {
    const { forge, engine } = await openTeam();
    forge.before = (call) => (call.startsWith("POST") ? { status: 403, body: { message: "not you" } } : null);
    const { proposal } = await propose(engine, { "a.md": TEXT });
    expect(await engine.approve(SHOP, proposal.id, {}, RITA)).toMatchObject({ state: "merged" });
    expect(forge.all).toEqual([]);
  });

  it("an approval of some keys lands by git, and the pull request goes on with the rest", async () => {
    const { forge, engine } = await openTeam();
    const { proposal } = await propose(engine, { "a.md": TEXT, "b.md": TEXT });
    await engine.approve(SHOP, proposal.id, { keys: ["a.md"] }, RITA);
    await engine.refresh();
    await until(() => !only(forge).body.includes("`a.md`"));
    expect(only(forge)).toMatchObject({ state: "open", body: expect.stringContaining("`b.md`") });
    await engine.close(SHOP, proposal.id, { reason: "Not this" }, RITA);
    await engine.refresh();
    await until(() => only(forge).state === "closed");
    expect(only(forge).state).toBe("closed");
  });
});

/** Branches as people push them with git: each is an open proposal. */
async function pushProposals(forge: FakeForge, count: number): Promise<void> {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const base = await forge.headOf("main");
  const none = { content: null, isTitled: false, sent: new Map(), reviewer: null, head: null, part: false };
  const branches = Array.from({ length: count }, (_, at) => {
    const id = ulid();
    const trailers = { proposal: id, project: SHOP, person: "ana", seq: 1, ...none };
    const message = formatMessage(`Propose m${at}.md`, trailers);
    const now = Math.floor(Date.now() / 1_000);
    const head = `commit ${toProposalRef(id)}\ncommitter Ana <ana@example.org> ${now} +0000\n${data(message)}`;
    return `${head}from ${base}\nM 100644 inline ${fileOf(`m${at}.md`)}\n${data(memoryText(`M${at}`))}`;
  });
  const { gitDir } = forge;
  const input = branches.join("");
  await mustRun("git", ["fast-import", "--quiet"], { cwd: gitDir, env: gitEnvironment(gitDir), input });
}

describe("500 open proposals", () => {
  it("that have not changed cost one request a look", async () => {
    const { forge, engine, desk } = await openTeam();
    await Promise.all([desk.stop(), engine.stop()]);
    await pushProposals(forge, 500);
    const again = await serve(forge);
    for (let wait = 0; wait < 10; wait += 1) {
      await until(() => forge.all.filter(({ labels }) => labels.length > 0).length === 500);
    }
    expect(forge.all).toHaveLength(500);
    const isReading = () => forge.calls.every((call) => call.startsWith("GET"));
    forge.calls.length = 0;
    const fresh = await serve(forge);
    await fresh.engine.refresh();
    await until(() => forge.calls.length >= 500 / 100);
    await fresh.desk.stop();
    expect(isReading()).toBe(true);
    // What changed in the last moments is read again: here that would be hundreds.
    await pause(LIMITS.forgeListOverlapMs);
    for (const request of forge.all.slice(0, 1)) forge.touch(request, {});
    await again.engine.refresh();
    await quiet(forge);
    forge.calls.length = 0;
    for (let look = 0; look < 3; look += 1) {
      await again.engine.refresh();
      await pause(300);
    }
    expect(forge.calls.length).toBeLessThanOrEqual(3);
    expect(isReading()).toBe(true);
  }, 120_000);
});
