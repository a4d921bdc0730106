import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isConnected } from "../../../../server/git/remote/is-connected.ts";
import { git } from "../../../support/git.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { startRemote } from "./support.ts";

const READS_MAX = 20;

/** A pack of so many commits, all without files but the first, whose one file's text is left out of it. */
async function packOf(commits: number) {
  const { gitDir: source } = await startRemote();
  const data = "data 2\nx\n";
  const lines = Array.from({ length: commits }, (_, index) => {
    const head = `commit refs/heads/main\ncommitter A <a@example.org> ${1_700_000_000 + index} +0000\n${data}`;
    return index === 0 ? `${head}M 100644 inline lost.md\n${data}` : `${head}deleteall\n`;
  });
  const run = (words: readonly string[], input: string) => execFileSync("git", words, { cwd: source, input });
  run(["fast-import", "--quiet"], lines.join("\n"));
  const ids = (await git(source, ["rev-list", "--objects", "main"])).trim().split("\n");
  const sent = ids.filter((line) => !line.endsWith(" lost.md")).map((line) => line.slice(0, 40));
  const gitDir = join(await tempDir(), "mirror.git");
  await git(source, ["init", "-q", "--bare", gitDir]);
  const path = join(gitDir, "objects", "pack", "pack-1.pack");
  await writeFile(path, run(["pack-objects", "--stdout", "-q", "--window=0"], `${sent.join("\n")}\n`));
  await git(gitDir, ["index-pack", path]);
  return { gitDir, path, wants: [ids[0]?.slice(0, 40) ?? ""] };
}

describe("isConnected", { timeout: 60_000 }, () => {
  // Besides the commits, the folder without files is read, and the folder of the first.
  it.each([
    ["finds what the last object within the bound lacks", READS_MAX - 2, false],
    ["believes what lies beyond the bound", READS_MAX - 1, true],
  ])("%s", async (_, commits, expected) => {
    expect(await isConnected({ ...(await packOf(commits)), readsMax: READS_MAX })).toBe(expected);
  });
});
