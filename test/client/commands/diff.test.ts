import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diffLines } from "../../../client/commands/diff-lines.ts";
import { git } from "../../support/git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { startWork } from "./support.ts";

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);
const text = (all: readonly string[]) => all.map((line) => `${line}\n`).join("");
const LONG = lines(1, 30);
const with2 = LONG.with(4, "five").with(24, "twenty-five");

describe("diffLines", () => {
  it.each([
    { name: "one change", before: LONG, after: LONG.with(9, "ten"), hunks: ["@@ -7,7 +7,7 @@"] },
    { name: "two far apart", before: LONG, after: with2, hunks: ["@@ -2,7 +2,7 @@", "@@ -22,7 +22,7 @@"] },
    { name: "two close together", before: LONG, after: LONG.with(4, "x").with(8, "y"), hunks: ["@@ -2,11 +2,11 @@"] },
    { name: "an added line", before: LONG, after: LONG.toSpliced(9, 0, "new"), hunks: ["@@ -7,6 +7,7 @@"] },
    { name: "a removed line at the end", before: LONG, after: LONG.slice(0, -1), hunks: ["@@ -27,4 +27,3 @@"] },
    { name: "all of it new", before: [], after: lines(1, 2), hunks: ["@@ -0,0 +1,2 @@"] },
    { name: "all of it gone", before: lines(1, 2), after: [], hunks: ["@@ -1,2 +0,0 @@"] },
    { name: "nothing", before: LONG, after: LONG, hunks: [] },
  ])("puts $name into hunks that git applies", async ({ before, after, hunks }) => {
    const found = diffLines(text(before), text(after));
    expect(found.filter((line) => line.startsWith("@@"))).toEqual(hunks);
    if (hunks.length > 0) expect(await applied(text(before), found)).toBe(text(after));
  });
});

describe("diff", () => {
  it("is a patch, of a change, a new memory and a removal", async () => {
    const [dev] = await startWork({ "a.md": memoryText("A", "First."), "b.md": memoryText("B") });
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.write("c.md", memoryText("C"));
    await dev.call("rm b.md");
    const said = (await dev.call("diff")).text;
    const heads = said.split("\n").filter((line) => /^(---|\+\+\+) /.test(line));
    expect(heads.filter((line) => line !== "---")).toEqual([
      "--- team/a.md",
      "+++ here/a.md",
      "--- team/b.md",
      "+++ /dev/null",
      "--- /dev/null",
      "+++ here/c.md",
    ]);
    expect(said).toMatch(/^@@ -\d+,\d+ \+\d+,\d+ @@$/m);
    expect(said).toContain("-First.\n+Mine.");
  });

  it("shows no secret, neither to people nor to programs, and the other changes all the same", async () => {
    const [dev] = await startWork({ "a.md": memoryText("A", "First."), "b.md": memoryText("B", "First.") });
    const token = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
    await dev.write("a.md", memoryText("A", `The token is ${token}`));
    await dev.write("b.md", memoryText("B", "Mine."));
    for (const line of ["diff", "diff a.md"]) {
      const said = await dev.call(line);
      expect(said.text).toMatch(/^Not shown, a secret is in it, line 6: ghp_\*\*\* \(github-token\): a\.md$/m);
      expect(said.text.includes("+Mine.")).toBe(line === "diff");
      expect(said.text + JSON.stringify(said.data)).not.toContain(token);
    }
  });
});

async function applied(before: string, hunks: readonly string[]): Promise<string> {
  const folder = await tempDir();
  await mkdir(join(folder, "clone"));
  const path = join(folder, "clone/x.md");
  await writeFile(path, before);
  await writeFile(join(folder, "patch"), `${["--- team/x.md", "+++ here/x.md", ...hunks].join("\n")}\n`);
  await git(join(folder, "clone"), ["apply", "../patch"]);
  return await readFile(path, "utf8");
}
