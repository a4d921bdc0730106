/** Links and special files under the local team folder: nothing outside is read or written, and the rule is named. */
import { execFileSync } from "node:child_process";
import { existsSync, linkSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { validateTeamMemoryPath, validateTeamMemoryPathSync } from "../../../shared/path/team-path.ts";
import { openTeamFolder, openTeamRoot } from "../../../shared/path/write-in-team.ts";
import { buildWorld, place, snapshotOf, type World } from "./support.ts";

interface Attack {
  readonly name: string;
  readonly key: string;
  readonly rule: string;
  readonly plant: (world: World) => Promise<unknown> | unknown;
}

const ATTACKS: readonly Attack[] = [
  {
    name: "the team directory itself is a link",
    key: "x.md",
    rule: "R-TEAM-DIR",
    plant: async ({ team, outside }) => {
      await rm(team, { recursive: true });
      await symlink(outside, team);
    },
  },
  {
    name: "a folder is a link out",
    key: "evil/x.md",
    rule: "R-LINK",
    plant: ({ team, outside }) => symlink(outside, join(team, "evil")),
  },
  {
    name: "a folder in the middle is a link out",
    key: "a/evil/folder/x.md",
    rule: "R-LINK",
    plant: async ({ team, outside }) => {
      await mkdir(join(team, "a"));
      await symlink(outside, join(team, "a/evil"));
    },
  },
  {
    name: "a folder is a link to another folder of the team",
    key: "evil/x.md",
    rule: "R-LINK",
    plant: async ({ team }) => {
      await mkdir(join(team, "real"));
      await symlink("real", join(team, "evil"));
    },
  },
  {
    name: "the file is a link to a file outside",
    key: "x.md",
    rule: "R-LINK",
    plant: ({ team, outside }) => symlink(join(outside, "secret.md"), join(team, "x.md")),
  },
  {
    name: "the file is a link to nothing, outside",
    key: "x.md",
    rule: "R-LINK",
    plant: ({ team, outside }) => symlink(join(outside, "autostart.md"), join(team, "x.md")),
  },
  {
    name: "a folder is a link to nothing, outside",
    key: "d/x.md",
    rule: "R-LINK",
    plant: ({ team, outside }) => symlink(join(outside, "gone"), join(team, "d")),
  },
  {
    name: "links in a loop",
    key: "a/x.md",
    rule: "R-LINK",
    plant: async ({ team }) => {
      await symlink("b", join(team, "a"));
      await symlink("a", join(team, "b"));
    },
  },
  {
    name: "a chain of 45 links to a folder outside",
    key: "link0/x.md",
    rule: "R-LINK",
    plant: async ({ team, outside }) => {
      for (let index = 0; index < 45; index++) await symlink(`link${index + 1}`, join(team, `link${index}`));
      await symlink(outside, join(team, "link45"));
    },
  },
  {
    name: "a link whose target climbs out",
    key: "d/x.md",
    rule: "R-LINK",
    plant: ({ team }) => symlink("../../outside", join(team, "d")),
  },
  {
    name: "a link to an open descriptor",
    key: "x.md",
    rule: "R-LINK",
    plant: ({ team }) => symlink("/dev/fd/0", join(team, "x.md")),
  },
  {
    name: "a pipe where a file is expected",
    key: "x.md",
    rule: "R-NOT-FILE",
    plant: ({ team }) => execFileSync("mkfifo", [join(team, "x.md")]),
  },
  {
    name: "a socket where a file is expected",
    key: "x.md",
    rule: "R-NOT-FILE",
    plant: ({ team }) => listenAt(join(team, "x.md")),
  },
  {
    name: "a pipe where a folder is expected",
    key: "d/x.md",
    rule: "R-NOT-FOLDER",
    plant: ({ team }) => execFileSync("mkfifo", [join(team, "d")]),
  },
  {
    name: "a folder where a file is expected",
    key: "x.md",
    rule: "R-NOT-FILE",
    plant: async ({ team }) => {
      await mkdir(join(team, "x.md"));
      await writeFile(join(team, "x.md/mine.md"), "mine");
    },
  },
  {
    name: "a file where a folder is expected",
    key: "a/x.md",
    rule: "R-NOT-FOLDER",
    plant: ({ team }) => writeFile(join(team, "a"), "mine"),
  },
];

describe("validateTeamMemoryPath", () => {
  it.each(ATTACKS)("refuses, and touches nothing: $name", async ({ key, rule, plant }) => {
    const world = await buildWorld();
    await plant(world);
    const before = snapshotOf(world.root);
    const refusal = { code: "path_traversal", rule, displayKey: key };
    await expect(validateTeamMemoryPath(world.team, key)).rejects.toMatchObject(refusal);
    expect(() => validateTeamMemoryPathSync(world.team, key)).toThrow(expect.objectContaining(refusal));
    expect(snapshotOf(world.root)).toEqual(before);
  });

  it("allows links above the team directory: people link their settings folder from elsewhere", async () => {
    const { root, team } = await buildWorld();
    await symlink(join(root, "memory"), join(root, "dotfiles"));
    const file = await validateTeamMemoryPath(join(root, "dotfiles/team"), "a/x.md");
    expect(place(file, "text")).toBe(true);
    expect(readFileSync(join(team, "a/x.md"), "utf8")).toBe("text");
  });
});

describe.each([{ by: "descriptor" }, { by: "working-directory" }] as const)("openTeamFolder by $by", ({ by }) => {
  it.each(ATTACKS)("touches nothing outside when it is planted after the check: $name", async ({ key, plant }) => {
    const world = await buildWorld();
    const file = validateTeamMemoryPathSync(world.team, key);
    await plant(world);
    const before = snapshotOf(world.root);
    let isPlaced = false;
    try {
      isPlaced = place(file, "hostile", by);
    } catch (error) {
      expect(error).toMatchObject({ code: "path_traversal" });
    }
    expect(isPlaced).toBe(false);
    expect(snapshotOf(world.outside)).toEqual(
      before.filter((line) => line.startsWith("/outside/")).map((line) => line.slice(8)),
    );
    expect(existsSync(join(world.outside, "folder/x.md"))).toBe(false);
  });

  it.each(ATTACKS.filter(({ rule }) => rule === "R-LINK" || rule === "R-NOT-FILE"))(
    "reads nothing through it: $name",
    async ({ key, plant }) => {
      const world = await buildWorld();
      await mkdir(join(world.outside, "folder"), { recursive: true });
      const file = validateTeamMemoryPathSync(world.team, key);
      await plant(world);
      expect(() => openTeamFolder(file, { missing: "null", by })?.readRegular("x.md", 1_000)).toThrow(/R-/);
    },
  );
});

describe("a file with a second name outside (a hard link)", () => {
  it("is told by its count of names, and replacing it leaves the other name's content alone", async () => {
    const { team, outside } = await buildWorld();
    linkSync(join(outside, "secret.md"), join(team, "x.md"));
    const file = validateTeamMemoryPathSync(team, "x.md");
    using folder = openTeamRoot(team);
    expect(folder.readRegular("x.md", 100)).toMatchObject({ nlink: 2 });
    expect(place(file, "the team's text")).toBe(true);
    expect(readFileSync(join(outside, "secret.md"), "utf8")).toBe("a secret");
    expect(readFileSync(join(team, "x.md"), "utf8")).toBe("the team's text");
  });
});

describe("a device where a file is expected", () => {
  it("is neither read nor replaced", async ({ skip }) => {
    const { team } = await buildWorld();
    try {
      execFileSync("mknod", [join(team, "x.md"), "c", "1", "5"], { stdio: "ignore" });
    } catch {
      skip("making a device needs root");
    }
    expect(() => validateTeamMemoryPathSync(team, "x.md")).toThrow(/R-NOT-FILE/);
    using folder = openTeamRoot(team);
    expect(() => folder.readRegular("x.md", 100)).toThrow(/R-NOT-FILE/);
    expect(() => folder.moveAside("x.md")).toThrow(/R-NOT-FILE/);
  });
});

describe("what a killed run left", () => {
  it("is found by its own names alone, and a link planted under such a name is removed, not followed", async () => {
    const { team, outside } = await buildWorld();
    const planted = `.tm-${"0".repeat(32)}.tmp`;
    await symlink(outside, join(team, planted));
    await symlink(join(outside, "secret.md"), join(team, ".tm-other.tmp"));
    using folder = openTeamRoot(team);
    const temp = folder.createTemp(Buffer.from("half a pull"));
    expect([...folder.ownNames()].sort()).toEqual([planted, temp].sort());
    for (const name of folder.ownNames()) folder.remove(name);
    expect(readdirSync(team)).toEqual([".tm-other.tmp"]);
    expect(readdirSync(outside)).toEqual(["folder", "secret.md"]);
  });
});

describe("a memory that the team removed, whose local copy became a link", () => {
  it("goes as a link: what it pointed to stays", async () => {
    const { team, outside } = await buildWorld();
    await symlink(join(outside, "secret.md"), join(team, "x.md"));
    await symlink(join(outside, "folder"), join(team, "d.md"));
    using folder = openTeamRoot(team);
    expect([folder.remove("x.md"), folder.remove("d.md")]).toEqual([true, true]);
    expect(lstatSync(join(outside, "folder")).isDirectory()).toBe(true);
    expect(readFileSync(join(outside, "secret.md"), "utf8")).toBe("a secret");
  });
});

describe("a folder moved out of the team directory while it is held", () => {
  it("takes no file to where a link now points", async () => {
    const { team, outside } = await buildWorld();
    await mkdir(join(team, "a"));
    using folder = openTeamFolder(validateTeamMemoryPathSync(team, "a/x.md"), { missing: "make" });
    await rename(join(team, "a"), join(team, "b"));
    await symlink(outside, join(team, "a"));
    folder.linkIn(folder.createTemp(Buffer.from("text")), "x.md");
    expect(readdirSync(join(team, "b"))).toEqual(["x.md"]);
    expect(readdirSync(outside)).toEqual(["folder", "secret.md"]);
  });
});

async function listenAt(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
  onTestFinished(() => {
    server.close();
  });
}
