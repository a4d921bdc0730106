import { spawn } from "node:child_process";
import { mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OWN_LOCK_TEXT } from "../../../server/git/lock-owner.ts";
import { planMoves, withoutPackedRef } from "../../../server/git/publish.ts";
import { takeLock } from "../../../server/git/ref-lock.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { assertSound, git as runGit } from "../../support/git.ts";
import { BASE, baseOf, commitTexts, openFresh } from "./support.ts";

const BRANCH = "refs/heads/team-memory/one";
const OTHER = "refs/heads/team-memory/two";
const ID = "1".repeat(40);

describe("planMoves", () => {
  it("moves the base first and deletes last, so that a kill never loses a change", () => {
    const moves = planMoves(
      [
        { ref: BRANCH, expectedOld: ID, new: null },
        { ref: OTHER, expectedOld: null, new: ID },
        { ref: BASE, expectedOld: ID, new: ID },
      ],
      BASE,
    );
    expect(moves.map(({ ref }) => ref)).toEqual([BASE, OTHER, BRANCH]);
  });

  it("refuses one reference twice", () => {
    const twice = [
      { ref: BASE, expectedOld: ID, new: ID },
      { ref: BASE, expectedOld: ID, new: null },
    ];
    expect(() => planMoves(twice, BASE)).toThrow(RangeError);
  });
});

describe("withoutPackedRef", () => {
  const text = `# pack-refs with: peeled fully-peeled sorted \n${ID} refs/heads/a\n${ID} refs/heads/ab\n${ID} refs/tags/t\n^${ID}\n`;

  it.each([
    ["a reference", "refs/heads/a", `${ID} refs/heads/a\n`],
    ["a tag with what it points at", "refs/tags/t", `${ID} refs/tags/t\n^${ID}\n`],
    ["nothing when it is not there", "refs/heads/b", ""],
    ["nothing for the beginning of a name", "refs/heads", ""],
  ])("takes out %s", (_, ref, removed) => {
    expect(withoutPackedRef(text, ref)).toBe(text.replace(removed, ""));
  });
});

describe("publish beside packed references", () => {
  it("compares with the packed value, and the file that follows wins", async () => {
    const git = await openFresh();
    const base = await baseOf(git);
    await runGit(git.gitDir, ["pack-refs", "--all"]);
    const next = await commitTexts(git, base, { "a.md": "a" });
    expect(await git.publish([{ ref: BASE, expectedOld: next, new: next }])).toEqual({ kind: "lost", ref: BASE });
    expect(await git.publish([{ ref: BASE, expectedOld: base, new: next }])).toEqual({ kind: "published" });
    expect(await git.readRef(BASE)).toBe(next);
    expect(await runGit(git.gitDir, ["rev-parse", BASE])).toBe(next);
  });

  it("deletes a reference that is packed, or packed and changed since", async () => {
    const git = await openFresh();
    const base = await baseOf(git);
    for (const ref of [BRANCH, OTHER]) await git.publish([{ ref, expectedOld: null, new: base }]);
    await runGit(git.gitDir, ["pack-refs", "--all"]);
    const next = await commitTexts(git, base, { "a.md": "a" });
    await git.publish([{ ref: OTHER, expectedOld: base, new: next }]);
    expect(await git.publish([{ ref: BRANCH, expectedOld: base, new: null }])).toEqual({ kind: "published" });
    expect(await git.publish([{ ref: OTHER, expectedOld: next, new: null }])).toEqual({ kind: "published" });
    expect([...(await git.readRefs("refs/")).keys()]).toEqual([BASE]);
    expect(await runGit(git.gitDir, ["for-each-ref", "--format=%(refname)"])).toBe(BASE);
    await assertSound(git.gitDir);
  });

  it("refuses a branch whose name another one stands in the way of", async () => {
    const git = await openFresh();
    const base = await baseOf(git);
    await git.publish([{ ref: BRANCH, expectedOld: null, new: base }]);
    await runGit(git.gitDir, ["pack-refs", "--all"]);
    const create = (ref: string) => git.publish([{ ref, expectedOld: null, new: base }]);
    await expect(create("refs/heads/team-memory")).rejects.toMatchObject({ code: "unavailable" });
    await expect(create(`${BRANCH}/below`)).rejects.toMatchObject({ code: "unavailable" });
    await assertSound(git.gitDir);
  });

  it("leaves no lock and no unfinished file behind", async () => {
    const git = await openFresh();
    const base = await baseOf(git);
    await git.publish([{ ref: BRANCH, expectedOld: null, new: base }]);
    await git.publish([{ ref: BRANCH, expectedOld: ID, new: null }]);
    await git.publish([{ ref: BRANCH, expectedOld: base, new: null }]);
    const left = await runGit(git.gitDir, ["-c", "alias.left=!find . -name '*.lock' -o -name 'tmp_*'", "left"]);
    expect(left).toBe("");
  });
});

describe("readRef", () => {
  it.each([
    ["empty", ""],
    ["torn", "1234"],
    ["a link to another reference", "ref: refs/heads/main\n"],
  ])("says damaged for a file that is %s, instead of the older packed value", async (_, text) => {
    const git = await openFresh();
    await git.publish([{ ref: BRANCH, expectedOld: null, new: await baseOf(git) }]);
    await runGit(git.gitDir, ["pack-refs", "--all"]);
    await mkdir(join(git.gitDir, "refs/heads/team-memory"), { recursive: true });
    await writeFile(join(git.gitDir, BRANCH), text);
    await expect(git.readRef(BRANCH)).rejects.toMatchObject({ code: "repository_damaged" });
  });

  it("sees at once what native git has written", async () => {
    const git = await openFresh();
    const base = await baseOf(git);
    const next = await commitTexts(git, base, { "a.md": "a" });
    await runGit(git.gitDir, ["update-ref", BASE, next, base]);
    expect(await git.readRef(BASE)).toBe(next);
    await runGit(git.gitDir, ["pack-refs", "--all"]);
    expect(await git.readRef(BASE)).toBe(next);
    await runGit(git.gitDir, ["update-ref", BASE, base]);
    expect(await git.readRef(BASE)).toBe(base);
  });
});

describe("takeLock", () => {
  it("keeps native git out, and waits for native git", async () => {
    const git = await openFresh();
    const base = await baseOf(git);
    const lock = await takeLock(git.gitDir, BASE);
    await expect(runGit(git.gitDir, ["update-ref", BASE, base])).rejects.toThrow(/Unable to create .*main\.lock/s);
    await lock.release();
    await runGit(git.gitDir, ["update-ref", BASE, base]);

    await writeFile(join(git.gitDir, `${BASE}.lock`), "");
    setTimeout(() => void rm(join(git.gitDir, `${BASE}.lock`)), 200);
    const startedAt = Date.now();
    await (await takeLock(git.gitDir, BASE)).release();
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(150);
  });

  it("gives up after its time with unavailable, and leaves a live lock alone", async () => {
    const git = await openFresh();
    const lock = await takeLock(git.gitDir, BASE);
    await expect(takeLock(git.gitDir, BASE, 100)).rejects.toMatchObject({ code: "unavailable" });
    expect(await readFile(join(git.gitDir, `${BASE}.lock`), "utf8")).toBe(OWN_LOCK_TEXT);
    await lock.release();
  });

  it("does not break the lock of a live process, however old", async () => {
    const git = await openFresh();
    const path = join(git.gitDir, `${BASE}.lock`);
    await writeFile(path, OWN_LOCK_TEXT);
    await utimes(path, 0, 0);
    await expect(takeLock(git.gitDir, BASE, 50)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("breaks the lock of a process that is gone at once", async () => {
    const git = await openFresh();
    const pid = await pidOfTheDead();
    const text = OWN_LOCK_TEXT.replace(`"pid":${process.pid}`, `"pid":${pid}`);
    await writeFile(join(git.gitDir, `${BASE}.lock`), text);
    await (await takeLock(git.gitDir, BASE, 1_000)).release();
  });

  it("breaks the lock of an earlier process whose id another one has now", async () => {
    const git = await openFresh();
    const text = OWN_LOCK_TEXT.replace(/"started":"\d+"/, '"started":"1"');
    await writeFile(join(git.gitDir, `${BASE}.lock`), text);
    await (await takeLock(git.gitDir, BASE, 1_000)).release();
  });

  const ELSEWHERE = OWN_LOCK_TEXT.replace(/"space":"/, '"space":"elsewhere ');
  const STALE_MS = LIMITS.refLockStaleMs + 1_000;

  it.each([
    ["native git", "old", "", -STALE_MS],
    ["another machine", "old", ELSEWHERE, -STALE_MS],
    ["native git", "of a clock that was set back since", "", STALE_MS],
  ])("breaks a lock of %s only when it is %s", async (_, __, text, awayMs) => {
    const git = await openFresh();
    const path = join(git.gitDir, `${BASE}.lock`);
    await writeFile(path, text);
    await expect(takeLock(git.gitDir, BASE, 50)).rejects.toMatchObject({ code: "unavailable" });
    const then = (Date.now() + awayMs) / 1000;
    await utimes(path, then, then);
    await (await takeLock(git.gitDir, BASE, 1_000)).release();
  });

  it("breaks a lock whose breaker was killed", async () => {
    const git = await openFresh();
    const dead = OWN_LOCK_TEXT.replace(`"pid":${process.pid}`, `"pid":${await pidOfTheDead()}`);
    await writeFile(join(git.gitDir, `${BASE}.lock`), dead);
    await writeFile(join(git.gitDir, "tmp_break_lock"), dead);
    await (await takeLock(git.gitDir, BASE, 1_000)).release();
  });
});

async function pidOfTheDead(): Promise<number> {
  const child = spawn("true");
  await new Promise((resolve) => child.once("close", resolve));
  return child.pid ?? 0;
}
