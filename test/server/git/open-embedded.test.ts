import { mkdir, readdir, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openEmbeddedRepository } from "../../../server/git/open-embedded.ts";
import { assertSound, git as runGit } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { BASE, baseOf, commitTexts, openFresh } from "./support.ts";

const open = (folder: string) => openEmbeddedRepository({ folder, git: null, baseRef: BASE });

describe("openEmbeddedRepository", () => {
  it("creates a bare repository that native git takes, with one commit", async () => {
    const git = await openFresh();
    expect(await runGit(git.gitDir, ["rev-parse", "--is-bare-repository"])).toBe("true");
    expect(await runGit(git.gitDir, ["symbolic-ref", "HEAD"])).toBe(BASE);
    expect(await runGit(git.gitDir, ["log", "--format=%s", "HEAD"])).toBe("Begin the team's memory");
    expect(await runGit(git.gitDir, ["config", "receive.denyNonFastForwards"])).toBe("true");
    await assertSound(git.gitDir);
    expect(git.healed).toEqual([]);
  });

  it("finds the same history when it opens again", async () => {
    const folder = await tempDir();
    const base = await baseOf(await open(folder));
    expect(await baseOf(await open(folder))).toBe(base);
  });

  it("creates one history when many open the same empty folder at once", async () => {
    const folder = await tempDir();
    const bases = await Promise.all(Array.from({ length: 10 }, async () => baseOf(await open(folder))));
    expect(new Set(bases).size).toBe(1);
    expect(await readdir(folder)).toEqual(["memory.git"]);
  });

  it("adopts a bare repository that someone made with native git, empty or not", async () => {
    const folder = await tempDir();
    await runGit(folder, ["init", "-q", "--bare", "memory.git"]);
    const git = await open(folder);
    expect((await git.readCommit(await baseOf(git))).parents).toEqual([]);
    await assertSound(git.gitDir);
  });

  it.each(["HEAD", "config"])("writes an empty or missing %s anew", async (name) => {
    const folder = await tempDir();
    const { gitDir } = await open(folder);
    await truncate(join(gitDir, name), 0);
    expect((await open(folder)).healed).toEqual([`removed the empty memory.git/${name}`]);
    await rm(join(gitDir, name));
    await open(folder);
    expect(await readFile(join(gitDir, name), "utf8")).not.toBe("");
    await assertSound(gitDir);
  });

  it("does not begin a second history where the base's file was emptied", async () => {
    const folder = await tempDir();
    const { gitDir } = await open(folder);
    await truncate(join(gitDir, BASE), 0);
    await expect(open(folder)).rejects.toMatchObject({ code: "repository_damaged" });
  });

  it("drops an empty branch file, which stops native git altogether, and says so", async () => {
    const folder = await tempDir();
    const { gitDir } = await open(folder);
    await mkdir(join(gitDir, "refs/heads/team-memory"));
    await writeFile(join(gitDir, "refs/heads/team-memory/x"), "");
    expect((await open(folder)).healed).toEqual(["removed the empty memory.git/refs/heads/team-memory/x"]);
    await assertSound(gitDir);
  });

  it("sweeps what was never finished once it is old, and breaks old locks", async () => {
    const folder = await tempDir();
    const git = await open(folder);
    const object = await git.writeBlob(Buffer.from("x"));
    const left = [
      "memory.git.new-0123456789abcdef/HEAD",
      `memory.git/objects/${object.slice(0, 2)}/tmp_obj_0123456789abcdef`,
      "memory.git/objects/pack/tmp_pack_x",
      "memory.git/objects/tmp_objdir-incoming-x/pack/x.pack",
      "memory.git/tmp_ref_0123456789abcdef",
      "memory.git/refs/heads/main.lock",
      "memory.git/packed-refs.lock",
    ];
    for (const path of left) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), "x");
    }
    expect((await open(folder)).healed).toEqual([]);
    for (const path of left) {
      await utimes(join(folder, path), 0, 0);
      await utimes(join(folder, path, ".."), 0, 0);
    }
    await utimes(join(folder, "memory.git/objects/tmp_objdir-incoming-x"), 0, 0);
    expect((await open(folder)).healed).toHaveLength(left.length);
    expect((await open(folder)).healed).toEqual([]);
    expect((await readdir(folder, { recursive: true })).filter((name) => /tmp_|\.lock|new-/.test(name))).toEqual([]);
    await assertSound(git.gitDir);
  });

  it.each([
    ["a file stands where the data folder should be", "data"],
    ["a file stands where the repository should be", "data/memory.git"],
  ])("says disk when %s", async (_, path) => {
    const folder = await tempDir();
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), "x");
    await expect(open(join(folder, "data"))).rejects.toMatchObject({ code: "disk" });
    expect(await readFile(join(folder, path), "utf8")).toBe("x");
  });

  it("keeps two processes' and native git's view of one repository together", async () => {
    const folder = await tempDir();
    const [one, other] = [await open(folder), await open(folder)];
    const base = await baseOf(one);
    const next = await commitTexts(one, base, { "a.md": "a" });
    await one.publish([{ ref: BASE, expectedOld: base, new: next }]);
    expect(await baseOf(other)).toBe(next);
    expect(await runGit(one.gitDir, ["show", "main:a.md"])).toBe("a");
  });
});
