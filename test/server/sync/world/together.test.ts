import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../../../server/sync/engine.ts";
import type { ReviewPolicy } from "../../../../server/sync/review-policy.ts";
import { LIMITS } from "../../../../shared/limits.ts";
import { memoryText } from "../../../support/memory-text.ts";
import { commitOnRemote, openMirror, type RemoteServer, startRemote, writeHook } from "../../git/remote/support.ts";
import { ANA, openEngine, RITA, SHOP, textsOf, toRequest } from "../support.ts";

async function openBatching(policy: ReviewPolicy = "required") {
  const remote = await startRemote();
  const mirror = await openMirror(remote);
  const sizes: number[] = [];
  const publishEach: typeof mirror.publishEach = (updates) => {
    sizes.push(updates.length);
    return mirror.publishEach(updates);
  };
  const port = { ...mirror, publishEach };
  const engine = await openEngine({ folder: "", gitDir: mirror.gitDir, port }, { reviewPolicy: () => policy });
  const put = (at: number, id = ulid()) =>
    engine.putProposal(SHOP, id, toRequest({ [`k${at}.md`]: memoryText(`K${at}`, "one", "feedback") }), ANA);
  return { remote, engine, sizes, put };
}

it("writes that wait go together, no more than the bound at once", async () => {
  const { sizes, put } = await openBatching();
  await Promise.all(Array.from({ length: LIMITS.writesTogetherMax + 2 }, (_, at) => put(at)));
  expect(sizes).toEqual([LIMITS.writesTogetherMax, 2]);
}, 30_000);

it("a write that lost its race is tried again, and the others have their answer", async () => {
  const { remote, engine, put } = await openBatching();
  const [one, other] = [ulid(), ulid()];
  await commitOnRemote(remote, `refs/heads/team-memory/${one}`, "x.md", "a branch of somebody else\n");
  const settled = await Promise.allSettled([put(1, one), put(2, other)]);
  expect(settled).toMatchObject([{ reason: { code: "conflict" } }, { value: { created: true } }]);
  await engine.approve(SHOP, other, {}, RITA);
  expect(Object.keys(await textsOf(engine))).toEqual(["k2.md"]);
});

it("two sets of one proposal go one after the other", async () => {
  const { put } = await openBatching();
  const id = ulid();
  const results = await Promise.all([put(1, id), put(1, id), put(2)]);
  expect(results.map(({ created }) => created)).toEqual([true, false, true]);
});

/** How often the service pushed meanwhile. */
async function countPushes(remote: RemoteServer, work: () => Promise<unknown>): Promise<number> {
  const before = remote.requests.length;
  await work();
  return remote.requests.slice(before).filter((request) => request === "POST /git-receive-pack").length;
}

async function openProposals(put: (at: number, id: string) => Promise<unknown>, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => ulid());
  await Promise.all(ids.map((id, at) => put(at, id)));
  return ids;
}

const approveAll = (engine: Engine, ids: readonly string[]) =>
  Promise.allSettled(ids.map((id) => engine.approve(SHOP, id, {}, RITA)));

describe("approvals that wait", () => {
  it("go to the base as one series, pushed once with their branches", async () => {
    const { remote, engine, put } = await openBatching();
    const ids = await openProposals(put, 5);
    const settled: unknown[] = [];
    expect(await countPushes(remote, async () => settled.push(...(await approveAll(engine, ids))))).toBe(1);
    expect(settled).toMatchObject(ids.map((id) => ({ value: { id, state: "merged" } })));
    expect(Object.keys(await textsOf(engine)).sort()).toEqual(ids.map((_, at) => `k${at}.md`));
    expect(await engine.listProposals(SHOP)).toEqual([]);
  });

  it("go on without the one whose branch has moved", async () => {
    const { remote, engine, put } = await openBatching();
    const ids = await openProposals(put, 3);
    await commitOnRemote(remote, `refs/heads/team-memory/${ids[1]}`, "x.md", "no memory of the project\n");
    const settled = await approveAll(engine, ids);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(settled[1]).toMatchObject({ reason: { code: "unprocessable_proposal" } });
  });

  it("each have their answer where the remote refuses one of them", async () => {
    const { remote, engine, put } = await openBatching();
    const ids = await openProposals(put, 3);
    const looksInto = 'test "$(git diff --name-only $2 $3 | grep -c k1.md)" = 0';
    await writeHook(remote, "update", `test "$1" != refs/heads/main || ${looksInto} || exit 1`);
    const settled = await approveAll(engine, ids);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(settled[1]).toMatchObject({ reason: { code: "remote_refused" } });
    expect(Object.keys(await textsOf(engine)).sort()).toEqual(["k0.md", "k2.md"]);
  });
});

it("closings that wait share their records and the deletion of their branches", async () => {
  const { remote, engine, put } = await openBatching();
  const ids = await openProposals(put, 6);
  const closeAll = () => Promise.all(ids.map((id) => engine.close(SHOP, id, { reason: `No, ${id}` }, RITA)));
  // The first record may leave before the others have come.
  expect(await countPushes(remote, closeAll)).toBeLessThanOrEqual(3);
  await engine.refresh();
  for (const id of ids) expect(await engine.proposal(SHOP, id)).toMatchObject({ state: "closed", reason: `No, ${id}` });
});

describe("sets that need no review", () => {
  it("are one series of commits and one push, each with its own answer", async () => {
    const { remote, engine, put } = await openBatching("direct");
    const puts: unknown[] = [];
    const putAll = async () => puts.push(...(await Promise.all([1, 2, 3, 4].map((at) => put(at)))));
    expect(await countPushes(remote, putAll)).toBe(1);
    expect(puts).toMatchObject(
      [1, 2, 3, 4].map((at) => ({ proposal: { state: "merged", changes: [{ key: `k${at}.md` }] } })),
    );
    expect(Object.keys(await textsOf(engine))).toHaveLength(4);
  });

  it("are refused with the remote's words where nobody may push to the base, and land once somebody may", async () => {
    const { remote, engine, put } = await openBatching("direct");
    await writeHook(remote, "update", 'test "$1" != refs/heads/main || { echo "main is protected" >&2; exit 1; }');
    const [one, other] = [ulid(), ulid()];
    const settled = await Promise.allSettled([put(1, one), put(2, other)]);
    const refused = { reason: { code: "remote_refused", message: expect.stringContaining("main is protected") } };
    expect(settled).toMatchObject([refused, refused]);
    expect(await textsOf(engine)).toEqual({});
    await writeHook(remote, "update", "exit 0");
    expect(await Promise.all([put(1, one), put(2, other)])).toMatchObject([
      { proposal: { state: "merged" } },
      { proposal: { state: "merged" } },
    ]);
  });
});
