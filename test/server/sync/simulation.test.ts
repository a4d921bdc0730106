import { describe, expect, it } from "vitest";
import type { GitPort } from "../../../server/git/port.ts";
import type { Engine } from "../../../server/sync/engine.ts";
import { BASE_REF, toProposalRef } from "../../../server/sync/proposal/refs.ts";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { openMemoryGit } from "../../contract/memory-git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { ANA, openEngine, RITA, SHOP } from "./support.ts";

/** Small, fast, and the same on every machine. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5) | 0;
    return Math.abs(state) % below;
  };
}

interface Story {
  readonly git: GitPort;
  readonly engine: Engine;
  readonly random: (below: number) => number;
  readonly ids: string[];
  text: number;
}

const KEYS = ["a.md", "b.md", "c.md", "d/e.md"];

async function propose(story: Story): Promise<void> {
  const { engine, random, ids } = story;
  const isNew = ids.length === 0 || random(3) === 0;
  if (isNew) ids.push(`01JH00000000000000000000${String(ids.length).padStart(2, "0")}`);
  const id = isNew ? ids.at(-1)! : ids[random(ids.length)]!;
  const known = await engine.proposal(SHOP, id).catch(() => null);
  const { upserts } = (await engine.memories(SHOP, { proposals: [] })).body;
  const keys = KEYS.filter(() => random(2) === 0);
  const changes = keys.map((key) => {
    const baseBlob = upserts.find((upsert) => upsert.key === key)?.blob ?? null;
    story.text += 1;
    return { key, baseBlob, text: baseBlob !== null && random(4) === 0 ? null : memoryText(`M${story.text}`) };
  });
  await engine.putProposal(SHOP, id, { seq: (known?.seq ?? 0) + 1, changes }, ANA);
}

async function review(story: Story): Promise<void> {
  const open = await story.engine.listProposals(SHOP);
  const proposal = open[story.random(Math.max(1, open.length))];
  if (proposal === undefined) return;
  const waiting = proposal.changes.filter(({ state }) => state === "proposed").map(({ key }) => key);
  const keys = waiting.filter(() => story.random(2) === 0);
  const some = keys.length === 0 || story.random(2) === 0 ? {} : { keys };
  if (story.random(3) === 0) await story.engine.close(SHOP, proposal.id, { ...some, reason: "No" }, RITA);
  else await story.engine.approve(SHOP, proposal.id, some, RITA);
}

/** As git would merge a branch that applies cleanly: fast-forward, merge commit or squash, with or without its message. */
async function mergeByGit({ git, engine, random }: Story): Promise<void> {
  const open = (await engine.listProposals(SHOP)).filter(({ conflicts }) => conflicts.length === 0);
  const proposal = open[random(Math.max(1, open.length))];
  const base = await git.readRef(BASE_REF);
  if (proposal === undefined || proposal.head === null || base === null) return;
  const changes = proposal.changes
    .filter(({ state }) => state === "proposed")
    .filter(() => random(5) > 0)
    .map(({ key, blob }) => ({ path: `projects/${SHOP}/team/${key}`, blob }));
  const head = await git.readCommit(proposal.head);
  const commit = { author: RITA, committer: RITA, at: new Date(), changes };
  const ways = [
    async () => (head.parents[0] === base ? head.id : base),
    () => git.commitChanges({ ...commit, parents: [base, head.id], message: "Merge" }),
    () => git.commitChanges({ ...commit, parents: [base], message: "Squash" }),
    () => git.commitChanges({ ...commit, parents: [base], message: head.message }),
  ];
  const next = await ways[random(ways.length)]!();
  await git.publish([{ ref: BASE_REF, expectedOld: base, new: next }]);
  await engine.refresh();
}

/** A reviewer's commit on the branch, on top or instead of nothing. */
async function commitToBranch({ git, engine, random, ...story }: Story): Promise<void> {
  const open = await engine.listProposals(SHOP);
  const proposal = open[random(Math.max(1, open.length))];
  if (proposal === undefined || proposal.head === null) return;
  const key = KEYS[random(KEYS.length)]!;
  const blob = await git.writeBlob(new TextEncoder().encode(memoryText(`Human ${story.text} ${random(1000)}`)));
  const head = await git.commitChanges({
    parents: [proposal.head],
    changes: [{ path: `projects/${SHOP}/team/${key}`, blob }],
    author: RITA,
    committer: RITA,
    at: new Date(),
    message: "Fix",
  });
  await git.publish([{ ref: toProposalRef(proposal.id), expectedOld: proposal.head, new: head }]);
  await engine.refresh();
}

/** What everyone can see. */
async function observe(engine: Engine, ids: readonly string[]) {
  await engine.refresh();
  const { body, outcomes } = await engine.memories(SHOP, { proposals: ids.slice(-20) });
  const { revision, ...head } = await engine.head(SHOP);
  const histories = await Promise.all(KEYS.map((key) => engine.history(SHOP, key as never).catch(() => null)));
  return { revision, head, upserts: body.upserts, outcomes, proposals: await engine.listProposals(SHOP), histories };
}

describe("any order of proposals, reviews and merges", () => {
  it.each(Array.from({ length: 12 }, (_, seed) => ({ seed })))(
    "leaves a state that a fresh process reads back the same (seed $seed)",
    async ({ seed }) => {
      const git = await openMemoryGit();
      const remote = { folder: "", gitDir: "", port: git };
      const random = randomFrom(seed + 1);
      const engine = await openEngine(remote);
      const story: Story = { git, engine, random, ids: [], text: 0 };
      const steps = [propose, propose, propose, review, review, mergeByGit, commitToBranch];
      for (let step = 0; step < 40; step += 1) {
        const now = steps[random(steps.length)]!;
        await now(story).catch((error) => {
          if (!isTeamMemoryError(error) || error.code === "internal") throw error;
        });
        if (step % 8 !== 7) continue;
        const fresh = await openEngine(remote);
        expect(await observe(fresh, story.ids)).toEqual(await observe(engine, story.ids));
        await fresh.stop();
      }
    },
    60_000,
  );
});
