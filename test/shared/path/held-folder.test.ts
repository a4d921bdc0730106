import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { inFolder } from "../../../shared/path/held-folder.ts";
import { openTeamRoot } from "../../../shared/path/write-in-team.ts";
import { tempDir } from "../../support/temp-dir.ts";

describe("inFolder", () => {
  it("takes a link that appeared between the look and the opening for one", () => {
    const loop = Object.assign(new Error("ELOOP"), { code: "ELOOP" });
    const within = () => {
      throw loop;
    };
    const folder = inFolder({ within, release: () => {} }, { path: "/m/team", key: "x.md" });
    expect(() => folder.readRegular("x.md", 100)).toThrow(
      expect.objectContaining({ rule: "R-LINK", displayKey: "x.md", cause: loop }),
    );
  });
});

describe("moveOut", () => {
  it.each([true, false])("takes the file itself elsewhere, over a copy of it (flushed: %s)", async (isDurable) => {
    const [team, elsewhere] = [await tempDir(), await tempDir()];
    const [from, to] = [join(team, "x.md"), join(elsewhere, "kept.md")];
    writeFileSync(from, "new");
    writeFileSync(to, "a copy");
    const { ino } = statSync(from);
    using folder = openTeamRoot(team);
    expect(folder.moveOut("x.md", to, { isDurable })).toBe(true);
    expect(statSync(to).ino).toBe(ino);
    expect(existsSync(from)).toBe(false);
  });

  it("leaves what lies on another file system, and says so", async ({ skip }) => {
    const team = await tempDir();
    const other = await onAnotherDisk(team);
    if (other === null) return skip("no second file system to write to is here");
    writeFileSync(join(team, "x.md"), "text");
    using folder = openTeamRoot(team);
    expect(folder.moveOut("x.md", join(other, "kept.md"), { isDurable: true })).toBe(false);
    expect(readFileSync(join(team, "x.md"), "utf8")).toBe("text");
  });

  it("says no where nothing lies, and refuses a link", async () => {
    const team = await tempDir();
    symlinkSync("/etc/hostname", join(team, "link.md"));
    using folder = openTeamRoot(team);
    expect(folder.moveOut("gone.md", join(team, "kept.md"), { isDurable: false })).toBe(false);
    expect(() => folder.moveOut("link.md", join(team, "kept.md"), { isDurable: false })).toThrow(
      expect.objectContaining({ rule: "R-LINK" }),
    );
  });
});

async function onAnotherDisk(than: string): Promise<string | null> {
  if (!existsSync("/dev/shm") || statSync("/dev/shm").dev === statSync(than).dev) return null;
  const folder = await mkdtemp("/dev/shm/team-memory-");
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("openTeamRoot, left to choose how to hold", () => {
  it.each([
    { platform: "linux", moves: 0 },
    { platform: "darwin", moves: 1 },
    { platform: "win32", moves: 1 },
  ] as const)("uses the working directory on $platform: $moves", async ({ platform, moves }) => {
    const team = await tempDir();
    vi.spyOn(process, "platform", "get").mockReturnValue(platform);
    const chdir = vi.spyOn(process, "chdir");
    try {
      openTeamRoot(team).close();
      expect(Math.min(chdir.mock.calls.length, 1)).toBe(moves);
    } finally {
      vi.restoreAllMocks();
    }
  });
});
