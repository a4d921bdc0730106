import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import {
  ANA,
  cloneRemote,
  merge,
  openAll,
  openEngine,
  openRemote,
  type Remote,
  RITA,
  SHOP,
  textsOf,
} from "./support.ts";

const A = memoryText("A");
const A2 = memoryText("A", "Second.");
const B = memoryText("B");
const faceOf = async (remote: Remote, cacheFolder?: string) => {
  const engine = await openEngine(remote, cacheFolder === undefined ? {} : { cacheFolder });
  const { upserts } = (await engine.memories(SHOP, { proposals: [] })).body;
  return upserts.map(({ key, changedAt, changedBy }) => ({ key, changedAt, changedBy }));
};

/** A commit of Rita's with a date of its own. */
async function commitAt(remote: Remote, at: string, ...args: readonly string[]) {
  const clone = await cloneRemote(remote);
  return {
    clone,
    commit: async (files: Record<string, string | null>) => {
      await clone.commit(files);
      await clone.git("commit", "-q", "--amend", "--no-edit", `--date=${at}`, ...args);
      await clone.push();
    },
  };
}

describe("ages", () => {
  it("a memory written 90 days ago and pulled today is 90 days old", async () => {
    const remote = await openRemote();
    const { commit } = await commitAt(remote, "2026-01-02T03:04:05Z");
    await commit({ "a.md": A });
    const clock = () => new Date("2026-04-02T03:04:05Z");
    const engine = await openEngine(remote, { clock });
    const { upserts } = (await engine.memories(SHOP, { proposals: [] })).body;
    expect(upserts).toMatchObject([{ changedAt: "2026-01-02T03:04:05.000Z", changedBy: RITA.name }]);
  });

  it("a date in the future is now", async () => {
    const remote = await openRemote();
    const { commit } = await commitAt(remote, "2090-01-01T00:00:00Z");
    await commit({ "a.md": A });
    const now = new Date("2026-04-02T03:04:05Z");
    const engine = await openEngine(remote, { clock: () => now });
    expect(await engine.memory(SHOP, "a.md" as never)).toMatchObject({ changedAt: now.toISOString() });
  });

  it("a renamed memory keeps its age and its author, an edited one does not", async () => {
    const remote = await openRemote();
    const { commit } = await commitAt(remote, "2020-01-01T00:00:00Z");
    await commit({ "old.md": A, "b.md": B });
    const engine = await openEngine(remote);
    await merge(engine, { "old.md": null, "new.md": A, "b.md": A2 });
    const { upserts } = (await engine.memories(SHOP, { proposals: [] })).body;
    expect(upserts.find(({ key }) => key === "new.md")).toMatchObject({
      changedAt: "2020-01-01T00:00:00.000Z",
      changedBy: RITA.name,
    });
    expect(upserts.find(({ key }) => key === "b.md")).toMatchObject({ changedBy: ANA.name });
    const { changes } = await engine.history(SHOP, "new.md" as never);
    expect(changes).toMatchObject([{ changedBy: ANA.name, blob: upserts.find(({ key }) => key === "new.md")?.blob }]);
  });
});

describe("history", () => {
  it("lists changes newest first, removals among them", async () => {
    const { engine } = await openAll();
    const first = await merge(engine, { "a.md": A });
    await merge(engine, { "a.md": A2 });
    await merge(engine, { "a.md": null });
    const { changes } = await engine.history(SHOP, "a.md" as never);
    expect(changes.map(({ blob }) => blob === null)).toEqual([true, false, false]);
    expect(changes[2]).toMatchObject({ proposal: first.id, changedBy: ANA.name });
  });

  it("is the same when it is read from its file, and when that file is torn, foreign or gone", async () => {
    const { remote, engine } = await openAll();
    const cacheFolder = join(await tempDir(), "cache");
    const path = join(cacheFolder, "history.jsonl");
    for (const texts of [{ "a.md": A }, { "b.md": B }, { "a.md": null, "c.md": A }]) await merge(engine, texts);
    const known = await faceOf(remote, cacheFolder);
    const whole = await readFile(path, "utf8");
    const spoilt = [
      () => appendFile(path, '{"commit":{"id":"'),
      () => writeFile(path, whole.slice(0, whole.length / 2)),
      () => writeFile(path, whole.split("\n").toSpliced(2, 1).join("\n")),
      () => writeFile(path, "something else"),
      () => writeFile(path, ""),
    ];
    expect(await faceOf(remote, cacheFolder)).toEqual(known);
    for (const spoil of spoilt) {
      await spoil();
      expect(await faceOf(remote, cacheFolder)).toEqual(known);
      expect(await readFile(path, "utf8")).toBe(whole);
    }
  });

  it("is read anew where the base was rewritten", async () => {
    const { remote, engine } = await openAll();
    const cacheFolder = join(await tempDir(), "cache");
    await merge(engine, { "a.md": A });
    const { revision } = await engine.head(SHOP);
    await merge(engine, { "b.md": B });
    const again = await openEngine(remote, { cacheFolder });
    const tip = (await again.head(SHOP)).revision;
    await remote.port.publish([{ ref: "refs/heads/main", expectedOld: tip, new: revision }]);
    await again.refresh();
    expect(Object.keys(await textsOf(again))).toEqual(["a.md"]);
    await expect(again.history(SHOP, "b.md" as never)).rejects.toMatchObject({ code: "not_found" });
    await merge(again, { "c.md": A2 });
    expect((await faceOf(remote, cacheFolder)).map(({ key }) => key)).toEqual(["a.md", "c.md"]);
  });

  it("follows a fast-forward to a branch into which the base was merged", async () => {
    const { remote, engine } = await openAll();
    await merge(engine, { "a.md": A });
    const clone = await cloneRemote(remote);
    await clone.git("checkout", "-q", "-b", "side");
    await clone.commit({ "side.md": B });
    await merge(engine, { "b.md": B });
    await clone.git("fetch", "-q", "origin");
    await clone.git("merge", "-q", "--no-ff", "-m", "Bring the base in", "origin/main");
    await clone.push("side:main");
    await engine.refresh();
    expect(Object.keys(await textsOf(engine)).sort()).toEqual(["a.md", "b.md", "side.md"]);
    expect((await faceOf(remote)).find(({ key }) => key === "b.md")).toBeDefined();
    await merge(engine, { "c.md": A2 });
    expect((await engine.head(SHOP)).memories).toBe(4);
  });
});
