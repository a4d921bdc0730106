import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { findTeamKey } from "../../../client/hooks/find-team-key.ts";
import { readLanding } from "../../../client/hooks/read-landing.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { tempDir } from "../../support/temp-dir.ts";

describe("findTeamKey", () => {
  let home: string;
  let cwd: string;
  let teamDir: string;

  beforeEach(async () => {
    home = await tempDir();
    cwd = join(home, "shop");
    teamDir = join(home, ".claude/projects/-shop/memory/team");
    await mkdir(teamDir, { recursive: true });
    await mkdir(cwd);
    await mkdir(join(home, "elsewhere/deep"), { recursive: true });
    await symlink(teamDir, join(cwd, "notes"));
    await symlink(join(teamDir, "new.md"), join(cwd, "dangling.md"));
    await symlink(join(home, "elsewhere/deep"), join(cwd, "deep"));
    await symlink(join(home, ".claude"), join(home, "config"));
    await symlink("loop", join(home, "loop"));
    await symlink(join(home, "elsewhere"), join(teamDir, "out"));
  });

  it.each<[string, string, string]>([
    ["a full path", "TEAM/a.md", "a.md"],
    ["one in a folder", "TEAM/store/a.md", "store/a.md"],
    ["with .. inside", "TEAM/../team/x/../a.md", "a.md"],
    ["with .. from a folder that is not there", "TEAM/../nothing/../team/a.md", "a.md"],
    ["with empty and dot segments", "TEAM//./a.md", "a.md"],
    ["from the home folder", "~/.claude/projects/-shop/memory/team/a.md", "a.md"],
    ["a relative one", "../.claude/projects/-shop/memory/team/a.md", "a.md"],
    ["through a link to team/", "CWD/notes/store/a.md", "store/a.md"],
    ["through a link above it", "HOME/config/projects/-shop/memory/team/a.md", "a.md"],
    ["a link to a file that is not there yet", "CWD/dangling.md", "new.md"],
    ["up from behind a link, as the disk sees it", "CWD/notes/../team/a.md", "a.md"],
    ["a link in team/ that leads out, which is judged by its name", "TEAM/out/a.md", "out/a.md"],
    ["a decomposed name, which is judged as it is written", "TEAM/cafe\u0301.md", "cafe\u0301.md"],
  ])("knows %s", (_, path, key) => {
    expect(find(path)).toBe(process.platform === "darwin" ? key.normalize("NFC") : key);
  });

  it.each([
    ["a sibling with the same beginning", "TEAM-evil/a.md"],
    ["what only begins inside", "TEAM/../a.md"],
    ["a link that leads elsewhere", "CWD/deep/a.md"],
    ["up from behind that link", "CWD/deep/../a.md"],
    ["a loop of links", "HOME/loop/a.md"],
    ["another person's home", "~ada/.claude/projects/-shop/memory/team/a.md"],
    ["a NUL", "TEAM/a\0.md"],
    ["a path longer than any", `TEAM/${"x/".repeat(LIMITS.joinedTextLengthMax / 2)}a.md`],
  ])("leaves %s alone", (_, path) => {
    expect(find(path)).toBeNull();
  });

  it("takes another case for the same folder where the disk does, and where nobody can tell yet", async () => {
    const absent = join(home, "absent/team");
    expect(findTeamKey(join(home, "ABSENT/Team/a.md"), { cwd, home, teamDir: absent })).toBe("a.md");
    expect(findTeamKey(join(home, "absent/other/a.md"), { cwd, home, teamDir: absent })).toBeNull();
    const accented = join(home, "caf\u00e9/team");
    expect(findTeamKey(join(home, "cafe\u0301/team/a.md"), { cwd, home, teamDir: accented })).toBe("a.md");
  });

  it("knows team/ where it is a link itself", async () => {
    const linked = join(home, "linked");
    await symlink(teamDir, linked);
    expect(findTeamKey(join(teamDir, "a.md"), { cwd, home, teamDir: linked })).toBe("a.md");
    expect(findTeamKey(join(linked, "a.md"), { cwd, home, teamDir: linked })).toBe("a.md");
  });

  function find(path: string): string | null {
    const full = path.replace("TEAM", teamDir).replace("CWD", cwd).replace("HOME", home);
    return findTeamKey(full, { cwd, home, teamDir });
  }
});

describe("readLanding", () => {
  it.each([0, 1])("follows as many links as an operating system does, plus %i", async (more) => {
    const folder = await tempDir();
    const count = LIMITS.linksFollowedMax + more;
    for (let at = 0; at < count; at += 1) await symlink(`link${at + 1}`, join(folder, `link${at}`));
    expect(readLanding(join(folder, "link0/a.md"))).toBe(more === 0 ? join(folder, `link${count}/a.md`) : null);
  });
});
