import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { findGitBinary, gitEnvironment, runGit } from "../../../server/git/git-binary.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openFresh, theGit } from "./support.ts";

const STEERING = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT"];

afterEach(() => {
  for (const name of STEERING) delete process.env[name];
});

describe("findGitBinary", () => {
  it("finds the one on the PATH, with its version", async () => {
    expect(await findGitBinary(undefined)).toMatchObject({
      path: expect.stringMatching(/^\//),
      version: expect.stringMatching(/^\d+\.\d+/),
    });
  });

  it.each(["/nowhere/git", "/etc/passwd", "/bin/true", "/"])("answers null for %s", async (path) => {
    expect(await findGitBinary(path)).toBeNull();
  });
});

describe("runGit", () => {
  it("is deaf to GIT_DIR, GIT_INDEX_FILE and GIT_WORK_TREE of whoever started the service", async () => {
    const user = await tempDir();
    await git(user, ["init", "-q"]);
    const before = await readdir(join(user, ".git"));
    Object.assign(process.env, {
      GIT_DIR: join(user, ".git"),
      GIT_WORK_TREE: user,
      GIT_INDEX_FILE: join(user, "index"),
    });
    const { gitDir } = await openFresh(await theGit());
    const said = await runGit(await theGit(), [`--git-dir=${gitDir}`, "rev-parse", "--absolute-git-dir"]);
    expect(said.toString().trim()).toBe(gitDir);
    expect(await readdir(join(user, ".git"))).toEqual(before);
  });

  it("hands on nothing of our environment", async () => {
    expect(Object.keys(gitEnvironment(await theGit())).filter((name) => STEERING.includes(name))).toEqual([]);
    expect(Object.keys(gitEnvironment(await theGit())).toSorted()).toMatchInlineSnapshot(`
      [
        "GIT_ALLOC_LIMIT",
        "GIT_ALLOW_PROTOCOL",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OPTIONAL_LOCKS",
        "GIT_TERMINAL_PROMPT",
        "LC_ALL",
        "PATH",
      ]
    `);
  });

  it("runs no hook and no monitor that a repository's configuration names", async () => {
    const folder = await tempDir();
    await git(folder, ["init", "-q"]);
    const trap = join(folder, "trap");
    await writeFile(trap, `#!/bin/sh\ntouch ${folder}/sprung\n`);
    await chmod(trap, 0o755);
    await mkdir(join(folder, "hooks"));
    await writeFile(join(folder, "hooks/reference-transaction"), `#!/bin/sh\ntouch ${folder}/sprung\n`, {
      mode: 0o755,
    });
    for (const setting of [`core.fsmonitor=${trap}`, `core.hooksPath=${folder}/hooks`]) {
      await git(folder, ["config", ...setting.split("=")]);
    }
    const binary = await theGit();
    await runGit(binary, ["-C", folder, "status", "--porcelain"]);
    const tree = (await runGit(binary, ["-C", folder, "write-tree"])).toString().trim();
    await runGit(binary, ["-C", folder, "update-ref", "refs/x/y", tree]);
    expect(await readdir(folder)).not.toContain("sprung");
    // The trap is set: git that is left to itself steps into it.
    await git(folder, ["update-ref", "refs/x/z", tree]);
    expect(await readdir(folder)).toContain("sprung");
  });

  it.each([
    ["ext::sh -c true", "ext"],
    ["file:///tmp", "file"],
    ["/tmp", "file"],
    ["http://127.0.0.1:9/x", "http"],
  ])("speaks to no remote unless told: %s", async (url, transport) => {
    const asked = runGit(await theGit(), ["ls-remote", "--", url]);
    await expect(asked).rejects.toThrow(new RegExp(`transport '${transport}' not allowed`));
  });

  it.skipIf(process.getuid?.() !== 0)("takes a repository that belongs to another user", async () => {
    const { gitDir } = await openFresh();
    await git(gitDir, ["-c", "alias.own=!chown -R 12345", "own", "."]);
    await expect(runGit(await theGit(), [`--git-dir=${gitDir}`, "log", "-1"])).resolves.toBeInstanceOf(Buffer);
  });

  it("hands input over, and says what git said when it fails", async () => {
    const { gitDir } = await openFresh();
    const said = await runGit(await theGit(), [`--git-dir=${gitDir}`, "hash-object", "--stdin"], { input: "hello\n" });
    expect(said.toString()).toBe("ce013625030ba8dba906f756967f9e9ca394464a\n");
    const failing = runGit(await theGit(), [`--git-dir=${gitDir}`, "rev-parse", "--verify", "no\u001bthing"]);
    await expect(failing).rejects.toMatchObject({
      code: "internal",
      message: expect.stringContaining("git rev-parse (exit 128)"),
    });
  });

  it("ends a child that takes too long, and one that prints too much", async () => {
    const { gitDir } = await openFresh();
    const base = [`--git-dir=${gitDir}`, "-c"];
    const slow = runGit(await theGit(), [...base, "alias.slow=!sleep 5", "slow"], { timeoutMs: 100 });
    await expect(slow).rejects.toMatchObject({ code: "timeout" });
    const loud = runGit(await theGit(), [...base, "alias.loud=!yes", "loud"], { outputSizeBytesMax: 1000 });
    await expect(loud).rejects.toMatchObject({ code: "too_large" });
  });
});
