/** Folders that may not be entered, disks that are full, and other file systems below the team directory. */
import { chmodSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  realpathDeepestExisting,
  validateTeamMemoryPath,
  validateTeamMemoryPathSync,
} from "../../../shared/path/team-path.ts";
import { openTeamFolder, openTeamRoot } from "../../../shared/path/write-in-team.ts";
import { buildWorld, giveAway, mayMount, mountSmallDisk, place, unprivileged } from "./support.ts";

const HOLDS = [{ by: "descriptor" }, { by: "working-directory" }] as const;

describe("a folder that may not be entered", () => {
  it("is refused, asynchronously and not", async () => {
    const { root, team } = await buildWorld();
    await mkdir(join(team, "a/b"), { recursive: true });
    chmodSync(root, 0o755);
    chmodSync(join(team, "a"), 0o000);
    giveAway(team);
    const refusal = expect.objectContaining({ code: "path_traversal", rule: "R-DENIED" });
    await unprivileged(async () => {
      await expect(validateTeamMemoryPath(team, "a/b/x.md")).rejects.toEqual(refusal);
      await expect(realpathDeepestExisting(join(team, "a/b/x.md"))).rejects.toEqual(refusal);
      expect(() => validateTeamMemoryPathSync(team, "a/b/x.md")).toThrow(refusal);
    });
    chmodSync(join(team, "a"), 0o700);
  });
});

describe("a team directory of another user", () => {
  it.runIf(process.geteuid?.() === 0)("is refused", async () => {
    const { root, team } = await buildWorld();
    chmodSync(root, 0o755);
    await unprivileged(() => expect(() => validateTeamMemoryPathSync(team, "x.md")).toThrow(/R-OWNER/));
    expect(validateTeamMemoryPathSync(team, "x.md")).toMatchObject({ key: "x.md" });
  });
});

describe.each(HOLDS)("a folder that may not be written, by $by", ({ by }) => {
  it("fails with its path, keeps the old file, and leaves no temp", async () => {
    const { root, team } = await buildWorld();
    await mkdir(join(team, "a"));
    await writeFile(join(team, "a/x.md"), "old");
    chmodSync(root, 0o755);
    chmodSync(join(team, "a"), 0o500);
    chmodSync(team, 0o500);
    onTestFinished(() => {
      for (const folder of [team, join(team, "a")]) chmodSync(folder, 0o700);
    });
    giveAway(team, join(team, "a"), join(team, "a/x.md"));
    await unprivileged(() => {
      const inside = validateTeamMemoryPathSync(team, "a/x.md");
      expect(() => place(inside, "new", by)).toThrow(expect.objectContaining({ code: "disk" }));
      const below = validateTeamMemoryPathSync(team, "b/x.md");
      expect(() => openTeamFolder(below, { missing: "make", by })).toThrow(/Cannot open the folder: .*\/team\/b/);
    });
    expect(readdirSync(team)).toEqual(["a"]);
    expect(readdirSync(join(team, "a"))).toEqual(["x.md"]);
    expect(readFileSync(join(team, "a/x.md"), "utf8")).toBe("old");
  });
});

describe.skipIf(!mayMount)("with file systems of their own (needs the right to mount)", () => {
  it.each(HOLDS)("a full disk is said so, keeps the old file, and leaves no half temp, by $by", async ({ by }) => {
    const { team } = await buildWorld();
    mountSmallDisk(team);
    await writeFile(join(team, "x.md"), "old");
    const file = validateTeamMemoryPathSync(team, "x.md");
    expect(() => place(file, "x".repeat(100_000), by)).toThrow(expect.objectContaining({ code: "disk_full" }));
    expect(readdirSync(team)).toEqual(["x.md"]);
    expect(readFileSync(join(team, "x.md"), "utf8")).toBe("old");
  });

  it.each(HOLDS)("another file system below the team directory is refused, by $by", async ({ by }) => {
    const { team } = await buildWorld();
    await mkdir(join(team, "a"));
    const file = validateTeamMemoryPathSync(team, "a/x.md");
    mountSmallDisk(join(team, "a"));
    expect(() => validateTeamMemoryPathSync(team, "a/x.md")).toThrow(/R-DEVICE/);
    expect(() => openTeamFolder(file, { missing: "make", by })).toThrow(/R-DEVICE/);
    expect(readdirSync(join(team, "a"))).toEqual([]);
  });

  it.each(HOLDS)("a file system mounted over the team directory since the check is refused, by $by", async ({ by }) => {
    const { team } = await buildWorld();
    const file = validateTeamMemoryPathSync(team, "x.md");
    mountSmallDisk(team);
    expect(() => openTeamFolder(file, { missing: "make", by })).toThrow(/R-MOVED/);
  });
});

describe("a umask that shares everything", () => {
  it("shares nothing of ours", async () => {
    const { team } = await buildWorld();
    const umask = process.umask(0);
    try {
      place(validateTeamMemoryPathSync(team, "a/x.md"), "text");
    } finally {
      process.umask(umask);
    }
    expect(lstatSync(join(team, "a")).mode & 0o777).toBe(0o700);
    expect(lstatSync(join(team, "a/x.md")).mode & 0o777).toBe(0o600);
    openTeamRoot(team).close();
  });
});
