import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GitBinary } from "../../../server/git/git-binary.ts";
import { buildGitReader } from "../../../server/git/git-reader.ts";
import { objectIdOf } from "../../../server/git/loose-object.ts";
import { gitEnvironment } from "../../support/git.ts";
import { mustRun } from "../../support/run.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openFresh, theGit } from "./support.ts";

const MAX = 1_000_000;
const NONE = "0".repeat(40);
const textOf = (at: number) => Buffer.from(`memory ${at}\n`.repeat(1 + at * 40));

function toText(answer: Awaited<ReturnType<ReturnType<typeof buildGitReader>["read"]>>): string | null {
  return answer === null || typeof answer === "string" ? answer : answer.content.toString();
}

async function openWithPacked(count: number) {
  const { gitDir, writeBlob } = await openFresh();
  const ids = await Promise.all(Array.from({ length: count }, (_, at) => writeBlob(textOf(at))));
  await pack(gitDir, ids);
  return { gitDir, writeBlob, ids };
}

async function pack(gitDir: string, ids: readonly string[]): Promise<void> {
  const options = { cwd: gitDir, env: gitEnvironment(gitDir), input: ids.join("\n") };
  await mustRun("git", ["pack-objects", "-q", "objects/pack/pack"], options);
  await mustRun("git", ["prune-packed"], options);
}

describe("buildGitReader", () => {
  it("answers many at once, each with its own object, and says what is not there", async () => {
    const { gitDir, ids } = await openWithPacked(60);
    const reader = buildGitReader(await theGit(), gitDir);
    const wanted = ids.flatMap((id) => [id, NONE]);
    const answers = await Promise.all(wanted.map((id) => reader.read(id, MAX)));
    expect(answers.map(toText)).toEqual(ids.flatMap((_, at) => [textOf(at).toString(), null]));
  });

  it("hands out nothing past the bound, and answers everybody else who asks at that moment", async () => {
    const { gitDir, ids } = await openWithPacked(20);
    const reader = buildGitReader(await theGit(), gitDir);
    const bound = textOf(10).length;
    const answers = await Promise.all(ids.slice(0, 12).map((id) => reader.read(id, bound)));
    expect(answers.map((answer) => answer === "too large")).toEqual([...Array(11).fill(false), true]);
    expect(answers.slice(0, 11).some((answer) => answer === "unanswered" || answer === null)).toBe(false);
  });

  it.each(["", "main", `${NONE}\n${NONE}`, "--help", NONE.slice(1)])(
    "does not ask for %j, which is no id",
    async (id) => {
      const { gitDir } = await openFresh();
      expect(await buildGitReader(await theGit(), gitDir).read(id, MAX)).toBe("unanswered");
    },
  );

  it.each([
    ["is not there", null],
    ["ends at once", "exit 1"],
    ["says something else", "echo hello; cat"],
    ["gives another object's bytes", `read id; printf '%s blob 5\\nwrong\\n' "$id"; cat`],
  ])("says unanswered where git %s", async (_, script) => {
    const path = join(await tempDir(), "git");
    if (script !== null) {
      await writeFile(path, `#!/bin/sh\n${script}\n`);
      await chmod(path, 0o755);
    }
    const binary: GitBinary = { path, version: "" };
    const id = objectIdOf("blob", textOf(1));
    expect(await buildGitReader(binary, await tempDir()).read(id, MAX)).toBe("unanswered");
  });

  it("finds what has been packed anew since it was asked first", async () => {
    const { gitDir, writeBlob } = await openWithPacked(3);
    const reader = buildGitReader(await theGit(), gitDir);
    expect(await reader.read(NONE, MAX)).toBeNull();
    const later = await writeBlob(textOf(3));
    await pack(gitDir, [later]);
    expect(toText(await reader.read(later, MAX))).toBe(textOf(3).toString());
  });
});
