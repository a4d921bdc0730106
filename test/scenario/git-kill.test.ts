import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openEmbeddedRepository } from "../../server/git/open-embedded.ts";
import { assertSound, git as runGit } from "../support/git.ts";
import { tempDir } from "../support/temp-dir.ts";
import { buildWriter, startWriter } from "./git-writers.ts";

const KILLS = 15;
const BASE = "refs/heads/main";

it("a writer killed at any moment leaves a sound repository, which opens, has all that landed, and is written to at once", async () => {
  const program = await buildWriter(await tempDir());
  const folder = await tempDir();
  const landed: string[] = [];
  let healed = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const writer = startWriter({ program, folder, name: "killed", commits: 1_000_000 });
    await writer.ready;
    await Promise.race([writer.landedAtLeast(Math.floor(Math.random() * 5)), writer.ended]);
    await sleep(Math.random() * 60);
    writer.child.kill("SIGKILL");
    await writer.ended;
    landed.push(...writer.landed);

    const git = await openEmbeddedRepository({ folder, git: null, baseRef: BASE });
    healed += git.healed.length;
    await assertSound(git.gitDir);
    const base = (await git.readRef(BASE)) ?? "";
    const startedAt = Date.now();
    const next = await git.commitChanges({ ...REQUEST, parents: [base] });
    expect(await git.publish([{ ref: BASE, expectedOld: base, new: next }])).toEqual({ kind: "published" });
    expect(Date.now() - startedAt).toBeLessThan(5_000);
  }
  const history = new Set((await runGit(`${folder}/memory.git`, ["rev-list", BASE])).split("\n"));
  expect(landed.filter((id) => !history.has(id))).toEqual([]);
  expect(landed.length).toBeGreaterThan(KILLS);
  console.log(`${KILLS} kills, ${landed.length} commits landed, ${healed} leftovers healed`);
}, 400_000);

it("what a killed writer left unfinished is proposed still, never half merged", async () => {
  const program = await buildWriter(await tempDir());
  const folder = await tempDir();
  for (let kill = 0; kill < 10; kill += 1) {
    const writer = startWriter({ program, folder, name: "killed", commits: 1_000_000 });
    await writer.ready;
    await sleep(Math.random() * 60);
    writer.child.kill("SIGKILL");
    await writer.ended;
  }
  const git = await openEmbeddedRepository({ folder, git: null, baseRef: BASE });
  const branches = await git.readRefs("refs/heads/team-memory/");
  for (const id of branches.values()) expect((await git.readCommit(id)).parents).toHaveLength(1);
  expect(branches.size).toBeLessThanOrEqual(10);
});

const WHO = { name: "Ann", email: "ann@example.org" };
const REQUEST = { changes: [], author: WHO, committer: WHO, at: new Date(0), message: "after a kill" };
