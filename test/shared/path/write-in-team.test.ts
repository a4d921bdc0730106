import { existsSync, linkSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HeldFolder } from "../../../shared/path/held-folder.ts";
import { isOwnName } from "../../../shared/path/own-name.ts";
import { validateTeamMemoryPathSync } from "../../../shared/path/team-path.ts";
import { type OpenOptions, openTeamFolder, openTeamRoot } from "../../../shared/path/write-in-team.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { GOOD_KEYS } from "./corpora.ts";

const HOLDS = [{ by: "descriptor" }, { by: "working-directory" }] as const satisfies readonly Pick<OpenOptions, "by">[];
const HELLO = Buffer.from("hello\n");

describe.each(HOLDS)("openTeamFolder by $by", ({ by }) => {
  it("makes the missing folders, for this user alone", async () => {
    const team = await teamDir();
    const umask = process.umask(0);
    try {
      openFor(team, "a/b/c.md", by).close();
    } finally {
      process.umask(umask);
    }
    for (const folder of ["a", "a/b"]) expect(statSync(join(team, folder)).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(team, "a/b"))).toEqual([]);
  });

  it("gives null, and makes nothing, where a folder is missing and is to stay so", async () => {
    const team = await teamDir();
    const file = validateTeamMemoryPathSync(team, "a/b/c.md");
    expect(openTeamFolder(file, { missing: "null", by })).toBeNull();
    expect(readdirSync(team)).toEqual([]);
    await mkdir(join(team, "a"));
    expect(openTeamFolder(file, { missing: "null", by })).toBeNull();
    await mkdir(join(team, "a/b"));
    openTeamFolder(file, { missing: "null", by })?.close();
  });

  it("writes a temp for this user alone, whatever the umask, and gives it its name", async () => {
    const team = await teamDir();
    using folder = openFor(team, "a/b.md", by);
    const umask = process.umask(0);
    const temp = folder.createTemp(HELLO);
    process.umask(umask);
    expect(isOwnName(temp)).toBe(true);
    expect(lstatSync(join(team, "a", temp))).toMatchObject({ nlink: 1, mode: 0o100600 });
    expect(folder.linkIn(temp, "b.md")).toBe(true);
    expect(readdirSync(join(team, "a"))).toEqual(["b.md"]);
    expect(lstatSync(join(team, "a/b.md"))).toMatchObject({ nlink: 1, mode: 0o100600 });
    expect(readFileSync(join(team, "a/b.md"), "utf8")).toBe("hello\n");
  });

  it("writes a temp that this user can read and write, though the umask takes that", async () => {
    const team = await teamDir();
    using folder = openFor(team, "b.md", by);
    const umask = process.umask(0o777);
    const temp = folder.createTemp(HELLO);
    process.umask(umask);
    expect(lstatSync(join(team, temp)).mode).toBe(0o100600);
  });

  it("writes empty and large content whole", async () => {
    const team = await teamDir();
    using folder = openFor(team, "b.md", by);
    for (const size of [0, 1, 5_000_000]) {
      const bytes = Buffer.alloc(size, "x");
      expect(readFileSync(join(team, folder.createTemp(bytes))).equals(bytes)).toBe(true);
    }
  });

  it.each(["file", "folder", "link", "dangling link"])(
    "links in only where nothing is: a %s stays as it was",
    async (kind) => {
      const team = await teamDir();
      await plant(join(team, "b.md"), kind);
      const before = lstatSync(join(team, "b.md")).ino;
      using folder = openTeamRoot(team, { by });
      const temp = folder.createTemp(HELLO);
      expect(folder.linkIn(temp, "b.md")).toBe(false);
      expect(lstatSync(join(team, "b.md")).ino).toBe(before);
      expect(folder.ownNames()).toEqual([temp]);
    },
  );

  it("moves a file aside within its folder, and says where nothing is", async () => {
    const team = await teamDir();
    await writeFile(join(team, "b.md"), HELLO);
    using folder = openTeamRoot(team, { by });
    const aside = folder.moveAside("b.md");
    expect(readdirSync(team)).toEqual([aside]);
    expect(isOwnName(String(aside))).toBe(true);
    expect(readFileSync(join(team, String(aside)))).toEqual(HELLO);
    expect(folder.moveAside("b.md")).toBeNull();
  });

  it.each(["folder", "link", "dangling link"])("does not move a %s aside", async (kind) => {
    const team = await teamDir();
    await plant(join(team, "b.md"), kind);
    using folder = openTeamRoot(team, { by });
    expect(() => folder.moveAside("b.md")).toThrow(/R-(LINK|NOT-FILE)/);
    expect(readdirSync(team)).toEqual(["b.md"]);
  });

  it("removes a name, of a link the link itself, and never a folder", async () => {
    const team = await teamDir();
    for (const kind of ["file", "link", "folder"]) await plant(join(team, `${kind}.md`), kind);
    using folder = openTeamRoot(team, { by });
    expect(folder.remove("file.md")).toBe(true);
    expect(folder.remove("file.md")).toBe(false);
    expect(folder.remove("link.md")).toBe(true);
    expect(existsSync("/etc/passwd")).toBe(true);
    expect(() => folder.remove("folder.md")).toThrow(expect.objectContaining({ code: "disk" }));
    expect(readdirSync(team)).toEqual(["folder.md"]);
  });

  it("reads a regular file up to the bound, with what the disk says of it", async () => {
    const team = await teamDir();
    await writeFile(join(team, "b.md"), "x".repeat(40_000));
    await utimes(join(team, "b.md"), 1_000, 1_000);
    using folder = openTeamRoot(team, { by });
    const file = folder.readRegular("b.md", 40_000);
    expect(Buffer.from(file?.bytes ?? []).toString()).toBe("x".repeat(40_000));
    expect(file).toMatchObject({ mtimeMs: 1_000_000, nlink: 1 });
    expect(() => folder.readRegular("b.md", 39_999)).toThrow(expect.objectContaining({ code: "too_large" }));
    expect(folder.readRegular("c.md", 10)).toBeNull();
    linkSync(join(team, "b.md"), join(team, "c.md"));
    expect(folder.readRegular("c.md", 40_000)).toMatchObject({ nlink: 2 });
  });

  it.each(["folder", "link", "dangling link"])("does not read a %s", async (kind) => {
    const team = await teamDir();
    await plant(join(team, "b.md"), kind);
    using folder = openTeamRoot(team, { by });
    expect(() => folder.readRegular("b.md", 100)).toThrow(/R-(LINK|NOT-FILE)/);
    expect(folder.stat("b.md")?.isFile()).toBe(false);
  });

  it("looks at names without following links, and lists the names of our own alone", async () => {
    const team = await teamDir();
    for (const kind of ["file", "link"]) await plant(join(team, `${kind}.md`), kind);
    await writeFile(join(team, ".tm-notes.tmp"), "somebody's");
    using folder = openTeamRoot(team, { by });
    expect(folder.stat("file.md")).toMatchObject({ size: 4 });
    expect(folder.stat("link.md")?.isSymbolicLink()).toBe(true);
    expect(folder.stat("gone.md")).toBeNull();
    expect(folder.ownNames()).toEqual([]);
    const temp = folder.createTemp(HELLO);
    expect(folder.ownNames()).toEqual([temp]);
  });

  it.each(["", ".", "..", "a/b.md", "../b.md", "a\\b.md", "a\0"])(
    "takes single segments alone: not %j",
    async (name) => {
      const team = await teamDir();
      using folder = openTeamRoot(team, { by });
      const temp = folder.createTemp(HELLO);
      for (const act of [
        () => folder.linkIn(temp, name),
        () => folder.linkIn(name, "b.md"),
        () => folder.moveAside(name),
        () => folder.remove(name),
        () => folder.readRegular(name, 100),
        () => folder.stat(name),
      ]) {
        expect(act).toThrow(/R-SEGMENT/);
      }
      expect(readdirSync(team)).toEqual([temp]);
    },
  );

  it("follows nothing put in the team directory's place since the check", async () => {
    const team = await teamDir();
    const file = validateTeamMemoryPathSync(team, "a/b.md");
    await rename(team, `${team}-away`);
    await mkdir(team);
    expect(() => openTeamFolder(file, { missing: "make", by })).toThrow(/R-MOVED/);
    await rm(team, { recursive: true });
    const elsewhere = await tempDir();
    await symlink(elsewhere, team);
    expect(() => openTeamFolder(file, { missing: "make", by })).toThrow(/R-(MOVED|LOOP|NOT-FOLDER)/);
    expect([...readdirSync(elsewhere), ...readdirSync(`${team}-away`)]).toEqual([]);
  });

  it.each(["link", "folder link", "file"])("enters no %s put in a folder's place since the check", async (kind) => {
    const team = await teamDir();
    await mkdir(join(team, "a"));
    const file = validateTeamMemoryPathSync(team, "a/b.md");
    await rm(join(team, "a"), { recursive: true });
    const elsewhere = await tempDir();
    if (kind === "folder link") await symlink(elsewhere, join(team, "a"));
    else await plant(join(team, "a"), kind);
    expect(() => openTeamFolder(file, { missing: "make", by })).toThrow(/R-(LINK|LOOP|NOT-FOLDER)/);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("stays with the folder that it opened when a link takes its place", async () => {
    const team = await teamDir();
    const elsewhere = await tempDir();
    await mkdir(join(team, "a"));
    using folder = openFor(team, "a/b.md", by);
    await rename(join(team, "a"), join(team, "moved"));
    await symlink(elsewhere, join(team, "a"));
    try {
      folder.createTemp(HELLO);
    } catch (error) {
      expect(error).toMatchObject({ code: "path_traversal" });
    }
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("says which path could not be written, and why", async () => {
    const team = await teamDir();
    using folder = openFor(team, "a/b.md", by);
    await rm(join(team, "a"), { recursive: true });
    expect(() => folder.createTemp(HELLO)).toThrow(
      /Cannot (write: .*\/team\/a\/\.tm-|use this key, it lies in a folder)/,
    );
  });

  it("leaves the working directory where it was, after a failure too", async () => {
    const team = await teamDir();
    const before = process.cwd();
    using folder = openFor(team, "a/b.md", by);
    folder.createTemp(HELLO);
    expect(() => folder.linkIn("gone", "b.md")).toThrow();
    expect(process.cwd()).toBe(before);
  });

  it("writes, finds and removes every good key under its own name", async () => {
    const team = await teamDir();
    for (const { key } of GOOD_KEYS) {
      const name = key.split("/").at(-1) ?? "";
      using folder = openFor(team, key, by);
      expect(folder.linkIn(folder.createTemp(Buffer.from(key)), name)).toBe(true);
      expect(Buffer.from(folder.readRegular(name, 2_000)?.bytes ?? []).toString()).toBe(key);
      expect(readdirSync(join(team, key, ".."))).toContain(name);
    }
  });
});

describe("openTeamFolder", () => {
  it("holds by descriptor where the system can, and works again and again without running out of them", async () => {
    const team = await teamDir();
    const before = readdirSync("/proc/self/fd").length;
    for (let round = 0; round < 2_000; round++) openFor(team, "a/b/c.md", undefined).close();
    using folder = openFor(team, "a/b.md", undefined);
    expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before + 2);
    expect(folder.stat("b")?.isDirectory()).toBe(true);
  });

  it("is of no use once it is closed, and closing it twice closes nothing else", async () => {
    const team = await teamDir();
    const folder = openFor(team, "a/b.md", "descriptor");
    folder.close();
    using other = openTeamRoot(team);
    folder.close();
    expect(() => folder.createTemp(HELLO)).toThrow(/Cannot write/);
    expect(other.ownNames()).toEqual([]);
  });

  it("refuses a root that is missing or a link", async () => {
    const folder = await tempDir();
    await symlink(folder, join(folder, "team"));
    expect(() => openTeamRoot(join(folder, "team"))).toThrow(/R-TEAM-DIR/);
    expect(() => openTeamRoot(join(folder, "gone"))).toThrow(/R-TEAM-DIR/);
  });
});

function openFor(team: string, key: string, by: OpenOptions["by"]): HeldFolder {
  const file = validateTeamMemoryPathSync(team, key);
  return openTeamFolder(file, by ? { missing: "make", by } : { missing: "make" });
}

async function plant(path: string, kind: string): Promise<void> {
  if (kind === "file") await writeFile(path, "mine");
  else if (kind === "folder") await mkdir(path);
  else await symlink(kind === "link" ? "/etc/passwd" : "/nowhere/at-all", path);
}

async function teamDir(): Promise<string> {
  const team = join(await tempDir(), "team");
  await mkdir(team);
  return team;
}
