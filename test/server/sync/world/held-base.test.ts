import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStateFiles } from "../../../../server/state/state-files.ts";
import type { Engine } from "../../../../server/sync/engine.ts";
import { BASES_FILE } from "../../../../server/sync/world/bases-file.ts";
import { git } from "../../../support/git.ts";
import { memoryText } from "../../../support/memory-text.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { commitOnRemote, openMirror, refOnRemote, startRemote } from "../../git/remote/support.ts";
import { BASE } from "../../git/support.ts";
import {
  ANA,
  cloneRemote,
  merge,
  OTHER,
  openEngine,
  openRemote,
  RITA,
  SHOP,
  SHOP_FOLDER,
  textsOf,
  toRequest,
} from "../support.ts";

const ID = "01HZZZZZZZZZZZZZZZZZZZZZZZ";
const keysOf = (count: number) => Array.from({ length: count }, (_, at) => `feedback_${at}.md`);
const textsFor = (keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, memoryText(key, `about ${key}`, "feedback")]));
const goneFor = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, null]));

/** Memories on the base, an engine that has seen them, and a clone of a reviewer. */
async function openShop(count: number) {
  const remote = await openRemote();
  const clone = await cloneRemote(remote);
  await clone.commit(textsFor(keysOf(count)));
  await clone.push();
  const lines: string[] = [];
  const write = (_fields: object, message: string) => lines.push(message);
  const log = { info: write, warn: write, error: write };
  const cacheFolder = join(await tempDir(), "cache");
  const engine = await openEngine(remote, { log, cacheFolder });
  return { remote, clone, engine, cacheFolder, lines };
}

async function readBlobs(engine: Engine): Promise<Record<string, string>> {
  const { body } = await engine.memories(SHOP, { proposals: [] });
  return Object.fromEntries(body.upserts.map(({ key, blob }) => [key, blob]));
}

describe("a project that loses most of its memories", () => {
  it("stays as it was, is logged and recorded once, and goes on when it is accepted", async () => {
    const { remote, clone, engine, lines } = await openShop(10);
    await clone.commit(goneFor(keysOf(6)));
    await clone.push();
    await engine.refresh();
    await engine.refresh();
    const { held } = await engine.base();
    const revision = (await clone.git("rev-parse", "HEAD")).trim();
    expect(held).toMatchObject([{ project: SHOP, revision, lost: 6, of: 10 }]);
    expect(await engine.head(SHOP)).toMatchObject({ memories: 10, held: true });
    expect(Object.keys(await textsOf(engine))).toHaveLength(10);
    expect(lines.filter((line) => line.includes("6 of 10 memories are gone"))).toHaveLength(1);
    const state = openStateFiles(remote.port, () => new Date());
    expect((await state.read(BASES_FILE)).held).toEqual(held);

    const request = toRequest({ "new.md": memoryText("New", "one more", "feedback") });
    await expect(engine.putProposal(SHOP, ID, request, ANA)).rejects.toMatchObject({ code: "base_held" });
    expect(await engine.putProposal(OTHER, ID, request, ANA)).toMatchObject({ created: true });

    await expect(engine.acceptBase("0".repeat(40), RITA)).rejects.toMatchObject({ code: "not_found" });
    await engine.acceptBase(revision, RITA);
    expect((await engine.base()).held).toEqual([]);
    expect(await engine.head(SHOP)).not.toHaveProperty("held");
    expect(Object.keys(await textsOf(engine))).toHaveLength(4);
    const { accepted } = await state.read(BASES_FILE);
    expect(accepted).toMatchObject([{ project: SHOP, by: RITA.id }]);
  });

  it.each([
    { name: "a service that was down", stop: true },
    { name: "one that has held it before, with or without its cache", stop: false },
  ])("is held by $name, after a start", async ({ stop }) => {
    const { remote, clone, engine, cacheFolder } = await openShop(10);
    if (stop) await engine.stop();
    await clone.commit(goneFor(keysOf(10)));
    await clone.push();
    if (!stop) await engine.refresh();
    const again = await openEngine(remote, stop ? { cacheFolder } : {});
    expect((await again.base()).held).toMatchObject([{ project: SHOP, to: null, lost: 10, of: 10 }]);
    expect(Object.keys(await textsOf(again))).toHaveLength(10);
  });

  it.each([
    { name: "approved", isHeld: false },
    { name: "pushed with an approval's words", isHeld: true },
  ])("is judged by who took them away where another process sees it: $name", async ({ isHeld }) => {
    const { remote, clone, engine, cacheFolder } = await openShop(10);
    await engine.stop();
    if (isHeld) {
      const trailers = { Proposal: ID, Project: SHOP, Person: "ana", Seq: 1, Reviewer: "Rita", Seal: "0".repeat(64) };
      const words = Object.entries(trailers).map(([name, value]) => `Team-Memory-${name}: ${value}`);
      await clone.commit(goneFor(keysOf(9)), `Remove\n\n${words.join("\n")}`);
      await clone.push();
    } else {
      const other = await openEngine(remote);
      const request = toRequest(goneFor(keysOf(9)), { bases: await readBlobs(engine) });
      await other.putProposal(SHOP, ID, request, ANA);
      await other.approve(SHOP, ID, {}, RITA);
    }
    const again = await openEngine(remote, { cacheFolder });
    expect((await again.base()).held).toHaveLength(isHeld ? 1 : 0);
    expect(Object.keys(await textsOf(again))).toHaveLength(isHeld ? 10 : 1);
  });

  it("keeps the revision by which it is accepted while the base goes on elsewhere, and ends when it is put back", async () => {
    const { clone, engine } = await openShop(10);
    await clone.commit(goneFor(keysOf(6)));
    await clone.push();
    await engine.refresh();
    const before = (await engine.base()).held;
    await merge(engine, textsFor(["other.md"]), OTHER);
    await engine.refresh();
    expect((await engine.base()).held).toEqual(before);
    await clone.update();
    await clone.commit(textsFor(keysOf(6)));
    await clone.push();
    await engine.refresh();
    expect((await engine.base()).held).toEqual([]);
  });

  it.each([
    { name: "five of five", of: 5, gone: 5 },
    { name: "half of twelve", of: 12, gone: 6 },
  ])("is not held at $name", async ({ of, gone }) => {
    const { clone, engine } = await openShop(of);
    await clone.commit({ ...goneFor(keysOf(gone)), "kept.md": memoryText("Kept", "it stays", "feedback") });
    await clone.push();
    await engine.refresh();
    expect((await engine.base()).held).toEqual([]);
    expect(Object.keys(await textsOf(engine))).toHaveLength(of - gone + 1);
  });

  it("is not held where a reviewer has approved it here, nor where the memories have moved", async () => {
    const { clone, engine } = await openShop(10);
    for (const key of keysOf(10)) await clone.git("mv", `${SHOP_FOLDER}/${key}`, `${SHOP_FOLDER}/moved_${key}`);
    await clone.commit({});
    await clone.push();
    await engine.refresh();
    expect((await engine.base()).held).toEqual([]);
    const keys = Object.keys(await textsOf(engine));
    await merge(engine, goneFor(keys));
    expect([(await engine.base()).held, await textsOf(engine)]).toEqual([[], {}]);
    await engine.refresh();
    expect((await engine.base()).held).toEqual([]);
  });
});

describe("a base that was rewritten on the remote", () => {
  it("is held until its very commit is accepted, and then is served as a whole", async () => {
    const remote = await startRemote();
    const first = await commitOnRemote(remote, BASE, `${SHOP_FOLDER}/a.md`, memoryText("A", "the first", "feedback"));
    const mirror = await openMirror(remote);
    const engine = await openEngine({ folder: "", gitDir: mirror.gitDir, port: mirror });
    const elsewhere = "refs/heads/elsewhere";
    const other = await commitOnRemote(
      remote,
      elsewhere,
      `${SHOP_FOLDER}/b.md`,
      memoryText("B", "another", "feedback"),
    );
    await commitOnRemote(remote, BASE, `${SHOP_FOLDER}/never.md`, "seen by nobody\n");
    await git(remote.gitDir, ["update-ref", BASE, other]);
    await engine.refresh();
    expect(await engine.base()).toMatchObject({ revision: first, held: [{ project: null, from: first, to: other }] });
    const request = toRequest({ "new.md": memoryText("New", "one more", "feedback") });
    await expect(engine.putProposal(SHOP, ID, request, ANA)).rejects.toMatchObject({ code: "base_held" });
    await engine.acceptBase(other, RITA);
    expect(await engine.base()).toEqual({ revision: other, held: [] });
    expect(Object.keys(await textsOf(engine))).toEqual(["b.md"]);
    expect(await refOnRemote(remote, BASE)).toBe(other);
  });
});
