import { describe, expect, it, vi } from "vitest";
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
