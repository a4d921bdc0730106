import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runGit } from "../../../server/git/git-binary.ts";
import { endSignalOf } from "../../../server/git/translate-git-error.ts";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { tempDir } from "../../support/temp-dir.ts";

describe("endSignalOf", () => {
  it.each([
    { end: "kill -TERM $$", signal: "SIGTERM", code: "unavailable" },
    { end: "kill -INT $$", signal: "SIGINT", code: "unavailable" },
    { end: "kill -SEGV $$", signal: null, code: "internal" },
    { end: "exit 1", signal: null, code: "internal" },
  ])("of a git that ends by $end is $signal", async ({ end, signal, code }) => {
    const path = join(await tempDir(), "git");
    await writeFile(path, `#!/bin/sh\n${end}\n`);
    await chmod(path, 0o755);
    const error: unknown = await runGit({ path, version: "" }, ["gc"]).catch((thrown: unknown) => thrown);
    expect([endSignalOf(error), isTeamMemoryError(error) && error.code]).toEqual([signal, code]);
  });

  it("of another error is null", () => {
    expect(endSignalOf(new Error("x"))).toBeNull();
  });
});
