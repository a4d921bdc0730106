import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openEmbeddedRepository } from "../../server/git/open-embedded.ts";
import { assertSound, git as runGit } from "../support/git.ts";
import { tempDir } from "../support/temp-dir.ts";
import { buildWriter, startWriter } from "./git-writers.ts";

const BASE = "refs/heads/main";
/** Of each of two writers, and of a native git beside them. */
const COMMITS = 40;
const NATIVE_COMMITS = 20;

it("two processes that commit a hundred times each to one base lose nothing", async () => {
  const program = await buildWriter(await tempDir());
  const folder = await tempDir();
  const git = await openEmbeddedRepository({ folder, git: null, baseRef: BASE });
  const writers = ["ann", "bob"].map((name) => startWriter({ program, folder, name, commits: 100 }));
  await Promise.all(writers.map(({ ended }) => ended));
  const landed = writers.flatMap((writer) => writer.landed);
  expect(new Set(landed).size).toBe(200);
  expect((await runGit(git.gitDir, ["rev-list", BASE])).split("\n")).toEqual(expect.arrayContaining(landed));
  expect(await fileCount(git.gitDir)).toBe(200);
  expect([...(await git.readRefs("refs/")).keys()]).toEqual([BASE]);
  await assertSound(git.gitDir);
});

it("writers, a native git that commits, gc in a loop, and a reader get on with each other", async () => {
  const { git, writers } = await startTwoWriters();
  const work = Promise.all([commitNatively(git.gitDir, NATIVE_COMMITS), ...writers.map(({ ended }) => ended)]);
  const rounds = await Promise.all([
    repeatDuring(work, () => readEverything(git)),
    repeatDuring(work, () => runGit(git.gitDir, ["gc", "-q"])),
  ]);
  expect(Math.min(...rounds)).toBeGreaterThan(0);
  expect((await runGit(git.gitDir, ["rev-list", "--count", BASE])).trim()).toBe(
    String(1 + 2 * COMMITS + NATIVE_COMMITS),
  );
  expect(await fileCount(git.gitDir)).toBe(2 * COMMITS);
  await assertSound(git.gitDir);
});

it("writers and a reader get on with an administrator who packs references in a loop", async () => {
  const { git, writers } = await startTwoWriters();
  const work = Promise.all(writers.map(({ ended }) => ended));
  const rounds = await Promise.all([
    repeatDuring(work, () => readEverything(git)),
    repeatDuring(work, () => runGit(git.gitDir, ["pack-refs", "--all", "--prune"])),
  ]);
  expect(Math.min(...rounds)).toBeGreaterThan(0);
  expect(await fileCount(git.gitDir)).toBe(2 * COMMITS);
  await assertSound(git.gitDir);
});

async function startTwoWriters() {
  const program = await buildWriter(await tempDir());
  const folder = await tempDir();
  const git = await openEmbeddedRepository({ folder, git: null, baseRef: BASE });
  return { git, writers: ["ann", "bob"].map((name) => startWriter({ program, folder, name, commits: COMMITS })) };
}

/** How often `again` ran, and succeeded, while `work` did. */
async function repeatDuring(work: Promise<unknown>, again: () => Promise<unknown>): Promise<number> {
  let busy = true;
  const over = work.finally(() => {
    busy = false;
  });
  let rounds = 0;
  for (; busy; rounds += 1) await again();
  await over;
  return rounds;
}

async function fileCount(gitDir: string): Promise<number> {
  return (await runGit(gitDir, ["ls-tree", "-r", "--name-only", BASE, "projects/"])).split("\n").length;
}

type Git = Awaited<ReturnType<typeof openEmbeddedRepository>>;

/** Throws where a tree or a memory of the base cannot be read, whatever is being packed at the moment. */
async function readEverything(git: Git): Promise<void> {
  await git.refresh();
  const blobs: string[] = [];
  const walk = async (tree: string): Promise<void> => {
    for (const { mode, id } of await git.readTree(tree, 10_000)) {
      if (mode === "40000") await walk(id);
      else blobs.push(id);
    }
  };
  await walk((await git.readCommit((await git.readRef(BASE)) ?? "")).tree);
  const found = await git.readBlobs(blobs, 10_000);
  const missing = blobs.filter((id) => !found.has(id));
  if (missing.length > 0) throw new Error(`could not read ${missing.length} of ${blobs.length} memories`);
}

/** Commits of the base's own tree, moved with git's own compare-and-swap. */
async function commitNatively(gitDir: string, count: number): Promise<void> {
  for (let landed = 0; landed < count; ) {
    const base = await runGit(gitDir, ["rev-parse", BASE]);
    const next = await commitTree(gitDir, base, `native ${landed}`);
    const moved = await runGit(gitDir, ["update-ref", BASE, next, base]).then(
      () => true,
      () => false,
    );
    if (moved) landed += 1;
    else await sleep(Math.random() * 20);
  }
}

/** Native git gives up where gc removes the folder that it has just made for an object; whoever sees that tries again. */
async function commitTree(gitDir: string, base: string, message: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runGit(gitDir, ["commit-tree", "-p", base, "-m", message, `${base}^{tree}`]);
    } catch (error) {
      if (attempt === 20 || !String(error).includes("unable to create temporary file")) throw error;
    }
  }
}
