import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { takeSight } from "../../../client/hooks/team-sight.ts";
import { readTurnNote, toNextNote, writeTurnNote } from "../../../client/hooks/turn-note.ts";
import { statePath } from "../../../client/sync/state/layout.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { tempDir } from "../../support/temp-dir.ts";

const BLANK = { sight: null, said: null, unsaid: null };

describe("takeSight", () => {
  let teamDir: string;
  const later = () => Date.now() + 1_000;

  beforeEach(async () => {
    teamDir = join(await tempDir(), "team");
    write("a.md", "one");
    write("store/b.md", "two");
  });

  it("is the same as long as nobody writes", () => {
    expect(takeSight(teamDir, later())).toBe(takeSight(teamDir, later() + 1));
    expect(takeSight(join(teamDir, "absent"), later())).toBe(takeSight(join(teamDir, "absent"), later()));
  });

  it.each<[string, () => void]>([
    ["a file has other bytes, as many, and its old time", () => rewriteWithOldTime()],
    ["a file is new", () => write("c.md", "")],
    ["a link is new", () => symlinkSync("a.md", join(teamDir, "c.md"))],
    ["a file deep below is new", () => write("x/y/z/c.md", "three")],
  ])("is another one where %s", (_, change) => {
    const before = takeSight(teamDir, later());
    change();
    expect(takeSight(teamDir, later())).not.toBe(before);
  });

  it("leaves out the index, and what is ours for a moment", () => {
    const before = takeSight(teamDir, later());
    write("MEMORY.md", "- [A](a.md)");
    expect(takeSight(teamDir, later())).toBe(before);
    write("store/MEMORY.md", "a memory like any other");
    expect(takeSight(teamDir, later())).not.toBe(before);
  });

  it("cannot be taken while a file is as young as the disk's clock is coarse", () => {
    const now = Date.now() + 10_000;
    utimesSync(join(teamDir, "a.md"), now / 1_000, now / 1_000);
    expect(takeSight(teamDir, now + LIMITS.folderTimeGrainMs - 5)).toBeNull();
    expect(takeSight(teamDir, now + LIMITS.folderTimeGrainMs + 5)).not.toBeNull();
  });

  function write(key: string, text: string): void {
    const path = join(teamDir, key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** As an editor does that keeps times: only the time of the change itself tells. */
  function rewriteWithOldTime(): void {
    write("a.md", "eno");
    utimesSync(join(teamDir, "a.md"), 1, 1);
  }
});

describe("a turn's note", () => {
  it("is read as it was written, and is blank where it is missing or damaged", async () => {
    const stateFolder = join(await tempDir(), "state");
    expect(readTurnNote(stateFolder)).toEqual(BLANK);
    const note = { sight: "1 2", said: "a", unsaid: "b" };
    writeTurnNote(stateFolder, note);
    expect(readTurnNote(stateFolder)).toEqual(note);
    for (const text of ["", "{", "[]", '{"sight":7}']) {
      writeFileSync(statePath(stateFolder, "turn"), text);
      expect(readTurnNote(stateFolder)).toEqual(BLANK);
    }
  });

  it.each([
    ["a line waits to be said", BLANK, "1", "a", { sight: "1", said: null, unsaid: "a" }],
    [
      "a line is said again where something happened again",
      said("a"),
      "1",
      "a",
      { sight: "1", said: "a", unsaid: "a" },
    ],
    ["a failure is told once", said("a"), null, "a", said("a")],
    ["another failure is told", said("a"), null, "b", { sight: null, said: "a", unsaid: "b" }],
    [
      "what waits stays where there is nothing to add",
      { ...BLANK, unsaid: "a" },
      "1",
      null,
      { ...BLANK, sight: "1", unsaid: "a" },
    ],
    ["the newest line counts", { ...BLANK, unsaid: "a" }, "1", "b", { ...BLANK, sight: "1", unsaid: "b" }],
  ])("%s", (_, before, sight, line, after) => {
    expect(toNextNote(before, sight, line)).toEqual(after);
  });

  function said(line: string) {
    return { ...BLANK, said: line };
  }
});
