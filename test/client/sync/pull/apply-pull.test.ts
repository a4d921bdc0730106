import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { place, stage } from "../../../../client/sync/pull/apply-pull.ts";
import type { PlaceStep } from "../../../../client/sync/pull/plan-pull.ts";
import { openAttic } from "../../../../client/sync/state/attic.ts";
import { sanitizePathKey } from "../../../../shared/path/sanitize-path-key.ts";
import { blobIdOf } from "../../../../shared/sync/git-ids.ts";
import { tempDir } from "../../../support/temp-dir.ts";

const THEIRS = "What the team knows.\n";

describe("stage and place", () => {
  const cases = [
    { name: "before it is staged", when: "before", text: "Mine.\n" },
    { name: "once it is staged", when: "between", text: "Mine.\n" },
    { name: "that is empty", when: "before", text: "" },
  ] as const;

  it.each(cases)("leaves a file written into a bare team folder $name as it is", async ({ when, text }) => {
    const { teamDir, attic } = await makePlace();
    const write = (at: string) => at === when && writeFileSync(join(teamDir, "a.md"), text);
    write("before");
    const staged = stage({ teamDir, attic, changes: [STEP], folders: [], textOf: () => THEIRS, baseOf: () => null });
    write("between");
    expect(place({ teamDir, attic, moves: staged.moves }).overtaken).toEqual(["a.md"]);
    expect(readFileSync(join(teamDir, "a.md"), "utf8")).toBe(text);
  });

  it("looks at what lies there where the folder was not bare", async () => {
    const { teamDir, attic } = await makePlace();
    writeFileSync(join(teamDir, "a.md"), "Mine.\n");
    const folders = [{ path: "", count: 1, sum: 0 }];
    const staged = stage({ teamDir, attic, changes: [STEP], folders, textOf: () => THEIRS, baseOf: () => null });
    expect(staged).toEqual({ moves: [], overtaken: ["a.md"] });
  });
});

const STEP: PlaceStep = {
  kind: "place",
  key: sanitizePathKey("a.md"),
  blob: blobIdOf(THEIRS),
  text: "remote",
  expected: null,
  because: "new",
  parks: null,
  marks: {},
};

async function makePlace() {
  const teamDir = await tempDir();
  return { teamDir, attic: openAttic(await tempDir(), new Date()) };
}
