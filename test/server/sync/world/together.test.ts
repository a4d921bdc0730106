import { ulid } from "ulid";
import { expect, it } from "vitest";
import { LIMITS } from "../../../../shared/limits.ts";
import { memoryText } from "../../../support/memory-text.ts";
import { commitOnRemote, openMirror, startRemote } from "../../git/remote/support.ts";
import { ANA, openEngine, RITA, SHOP, textsOf, toRequest } from "../support.ts";

async function openBatching() {
  const remote = await startRemote();
  const mirror = await openMirror(remote);
  const sizes: number[] = [];
  const publishEach: typeof mirror.publishEach = (updates) => {
    sizes.push(updates.length);
    return mirror.publishEach(updates);
  };
  const port = { ...mirror, publishEach };
  const engine = await openEngine({ folder: "", gitDir: mirror.gitDir, port });
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
