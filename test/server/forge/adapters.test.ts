/** One contract for all kinds of forges. */
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Forge } from "../../../server/forge/forge.ts";
import { say } from "../../support/fake-forge/dialects.ts";
import { type FakeForge, FORGE_TOKEN, startForge } from "../../support/fake-forge/start-forge.ts";
import { adapterOf, KINDS } from "./support.ts";

const LONG_AGO = new Date(0);

describe.each(KINDS)("the adapter for %s", (kind) => {
  let fake: FakeForge;
  let forge: Forge;

  async function start(): Promise<void> {
    fake = await startForge(kind, onTestFinished);
    forge = adapterOf(fake);
    const tree = await fake.git(["mktree", "--missing"]).catch(() => "");
    const root = await fake.git(["commit-tree", tree || "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "-m", "root"]);
    await fake.git(["update-ref", "refs/heads/main", root]);
  }

  async function branch(name: string, file = `${name}.md`): Promise<string> {
    await fake.git(["update-ref", `refs/heads/team-memory/${name}`, (await fake.headOf("main")) ?? ""]);
    await fake.commitFiles(`team-memory/${name}`, { [file]: `${name}\n` }, `Propose ${name}`);
    return `team-memory/${name}`;
  }

  const draft = (name: string) => ({ branch: name, title: `Propose ${name}`, body: "What it is" });
  beforeEach(start);

  it("opens one pull request a branch, whoever asks how often, and none for a branch with nothing on it", async () => {
    const name = await branch("one");
    const [first, second] = await Promise.all([forge.open(draft(name)), forge.open(draft(name))]);
    expect(second).toMatchObject({ number: first?.number, branch: name, state: "open" });
    expect(await forge.open(draft(name))).toMatchObject({ number: first?.number });
    expect(fake.all).toHaveLength(1);
    if (kind !== "gitlab") {
      await fake.git(["update-ref", "refs/heads/team-memory/none", (await fake.headOf("main")) ?? ""]);
      expect(await forge.open(draft("team-memory/none"))).toBeNull();
    }
  });

  it("lists all that have changed since, over many pages, in every state; no fork's, and none onto another base", async () => {
    for (let at = 0; at < 120; at += 1) await fake.open({ ...draft(`team-memory/${at}`), base: "main" }, true);
    const ours = await fake.open({ ...draft(await branch("ours")), base: "main" });
    await fake.open({ ...draft(await branch("other")), base: "main-2" });
    for (let at = 0; at < 120; at += 1) await fake.open({ ...draft(`team-memory/x${at}`), base: "main" }, true);
    expect((await forge.listSince(LONG_AGO)).map(({ number }) => number)).toEqual([ours.number]);
    for (const state of ["closed", "merged"] as const) {
      fake.touch(ours, { state, mergeCommit: state === "merged" ? ours.head : null });
      expect(await forge.listSince(LONG_AGO)).toMatchObject([{ state, title: ours.title, body: ours.body }]);
    }
    const asked = fake.calls.length;
    await forge.listSince(new Date(Date.now() + 60_000));
    expect(fake.calls.length - asked).toBe(1);
  });

  it("writes its text, its label, its reviewers and a comment", async () => {
    const request = await forge.open(draft(await branch("one")));
    const number = request?.number ?? 0;
    await forge.edit(number, { title: "New", body: "Other" });
    await forge.edit(number, { body: "Last" });
    await forge.label(number, ["team-memory"]);
    await forge.requestReviews(number, ["rita"]);
    await forge.comment(number, "Said by us");
    expect(fake.all[0]).toMatchObject({ title: "New", body: "Last", labels: ["team-memory"] });
    expect(fake.all[0]?.reviewers).toEqual([kind === "gitlab" ? "7" : "rita"]);
    expect((await forge.listSince(LONG_AGO))[0]?.labels).toEqual(["team-memory"]);
    await forge.close(number);
    expect(fake.all[0]?.state).toBe("closed");
  });

  it("reads what people said, in its order, reviews too, and not what the forge notes down itself", async () => {
    const request = await forge.open(draft(await branch("one")));
    const fakeRequest = fake.all[0];
    if (fakeRequest === undefined) throw new Error("none was opened");
    say(fakeRequest, "rita", "First");
    say(fakeRequest, "rita", "", true);
    say(fakeRequest, "rita", "Second", kind !== "gitlab");
    expect((await forge.comments(request?.number ?? 0)).map(({ text }) => text)).toEqual(["First", "Second"]);
  });

  it.each([true, false])(
    "merges at the head that was reviewed (squashed: %s), also where the forge still thinks",
    async (squash) => {
      fake.mergeDelayMs = 600;
      const name = await branch("one");
      const request = await forge.open(draft(name));
      const head = (await fake.headOf(name)) ?? "";
      await forge.merge(request?.number ?? 0, { head, title: "Merge it", message: "By Rita", squash });
      expect(fake.all[0]).toMatchObject({ state: "merged" });
      expect(await fake.git(["log", "-1", "--format=%B", "main"])).toContain("Merge it\n\nBy Rita");
      expect((await fake.git(["log", "-1", "--format=%P", "main"])).split(" ")).toHaveLength(squash ? 1 : 2);
      expect((await forge.listSince(LONG_AGO))[0]?.mergeCommit).toBe(await fake.headOf("main"));
    },
  );

  it("merges nothing that has moved since it was reviewed, nor what conflicts", async () => {
    const name = await branch("one", "same.md");
    const request = await forge.open(draft(name));
    const head = (await fake.headOf(name)) ?? "";
    const words = { title: "Merge it", message: "", squash: false };
    await fake.commitFiles(name, { "same.md": "more\n" }, "More");
    const moved = forge.merge(request?.number ?? 0, { ...words, head });
    await expect(moved).rejects.toMatchObject({ code: "proposal_changed" });
    await fake.commitFiles("main", { "same.md": "theirs\n" }, "Theirs");
    const conflict = forge.merge(request?.number ?? 0, { ...words, head: (await fake.headOf(name)) ?? "" });
    await expect(conflict).rejects.toMatchObject({
      code: "remote_refused",
      message: expect.stringContaining("conflict"),
    });
  });

  it("reads its token again where it is refused, once", async () => {
    const tokens = ["old", FORGE_TOKEN];
    const token = {
      get: async () => tokens[0] ?? "",
      renew: async () => tokens.length > 1 && tokens.shift() !== undefined,
    };
    expect(await adapterOf(fake, token).listSince(LONG_AGO)).toEqual([]);
    const wrong = adapterOf(fake, { get: async () => "wrong", renew: async () => false });
    const refused = await wrong.listSince(LONG_AGO).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "remote_denied", message: expect.not.stringContaining("wrong") });
  });

  it.each([
    ["429 with a time", { status: 429, headers: { "retry-after": "120" } }, 120_000],
    ["403 with nothing left", { status: 403, headers: { "x-ratelimit-remaining": "0" } }, 60_000],
  ])("asks for nothing while the forge wants patience: %s", async (_, answer, patienceMs) => {
    fake.before = () => answer;
    const before = Date.now();
    const busy = await forge.listSince(LONG_AGO).catch((error: unknown) => error);
    expect(busy).toMatchObject({ code: "remote_unreachable" });
    const { retryAtMs } = (busy as { details: { retryAtMs: number } }).details;
    expect(Math.abs(retryAtMs - before - patienceMs)).toBeLessThan(5_000);
    fake.before = () => null;
    const asked = fake.calls.length;
    await expect(forge.comment(1, "again")).rejects.toMatchObject({ code: "remote_unreachable" });
    expect(fake.calls.length).toBe(asked);
  });

  it.each([
    ["a page of HTML", { status: 200, body: "<html>" }, "remote_unreachable"],
    ["a failure of its own", { status: 502, body: "<html>" }, "remote_unreachable"],
    ["another address", { status: 301, headers: { location: "http://127.0.0.1:1/" } }, "remote_denied"],
    ["no such repository", { status: 404, body: { message: "Not Found" } }, "remote_denied"],
    ["words with control characters", { status: 422, body: { message: "no\u001b[31m way\u202e" } }, "remote_refused"],
  ])("says what it cannot use: %s", async (_, answer, code) => {
    fake.before = () => answer;
    const error = (await forge.listSince(LONG_AGO).catch((cause: unknown) => cause)) as Error & { code: string };
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^[\x20-\x7e]+$/);
  });
});
