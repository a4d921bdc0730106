import { cp, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findCanonicalGitRoot, findRepository } from "../../../client/memory/find-git-root.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { makeRepository, writeFiles } from "./support.ts";

describe("findCanonicalGitRoot", () => {
  it("is the repository for its root and every folder below it", async () => {
    const shop = await makeRepository(join(await tempDir(), "shop"), { "src/cart/index.ts": "" });
    expect(findCanonicalGitRoot(shop)).toBe(shop);
    expect(findCanonicalGitRoot(join(shop, "src/cart"))).toBe(shop);
    expect(findCanonicalGitRoot(join(shop, ".git/hooks"))).toBe(shop);
  });

  it("is the folder itself without git, not the one above it", async () => {
    const folder = join(await tempDir(), "notes/today");
    await mkdir(folder, { recursive: true });
    expect(findCanonicalGitRoot(folder)).toBe(folder);
    expect(findRepository(folder)).toBeNull();
  });

  it("is one for all worktrees, wherever they lie, also with relative links", async () => {
    const folder = await tempDir();
    const shop = await makeRepository(join(folder, "shop"));
    await git(shop, ["worktree", "add", "-q", join(folder, "elsewhere/fix")]);
    await git(shop, ["worktree", "add", "-q", join(shop, "inside/try")]);
    expect(findCanonicalGitRoot(join(folder, "elsewhere/fix"))).toBe(shop);
    expect(findCanonicalGitRoot(join(shop, "inside/try"))).toBe(shop);
    await writeFile(join(folder, "elsewhere/fix/.git"), "gitdir: ../../shop/.git/worktrees/fix\n");
    expect(findRepository(join(folder, "elsewhere/fix"))).toEqual({
      root: shop,
      worktree: join(folder, "elsewhere/fix"),
      gitDir: join(shop, ".git/worktrees/fix"),
      commonDir: join(shop, ".git"),
    });
  });

  it("is the submodule, not what holds it", async () => {
    const folder = await tempDir();
    const library = await makeRepository(join(folder, "library"));
    const shop = await makeRepository(join(folder, "shop"));
    await git(shop, ["submodule", "add", "-q", library, "vendor/library"]);
    const submodule = join(shop, "vendor/library");
    expect(findRepository(submodule)).toMatchObject({
      root: submodule,
      commonDir: join(shop, ".git/modules/vendor/library"),
    });
  });

  it("is a bare repository itself, also for its worktrees", async () => {
    const folder = await tempDir();
    const shop = await makeRepository(join(folder, "shop"));
    const bare = join(folder, "shop.git");
    await git(folder, ["clone", "-q", "--bare", shop, bare]);
    await git(bare, ["worktree", "add", "-q", join(folder, "work")]);
    expect(findCanonicalGitRoot(bare)).toBe(bare);
    expect(findCanonicalGitRoot(join(bare, "objects"))).toBe(bare);
    expect(findCanonicalGitRoot(join(folder, "work"))).toBe(bare);
  });

  it("does not take a bare repository that a checkout brought along", async () => {
    const folder = await tempDir();
    const shop = await makeRepository(join(folder, "shop"));
    await git(folder, ["clone", "-q", "--bare", shop, join(shop, "docs/evil.git")]);
    expect(findCanonicalGitRoot(join(shop, "docs/evil.git"))).toBe(shop);
  });

  it("does not believe a worktree that the repository does not know", async () => {
    const folder = await tempDir();
    const shop = await makeRepository(join(folder, "shop"));
    await git(shop, ["worktree", "add", "-q", join(folder, "fix")]);
    const archive = join(folder, "archive");
    await writeFiles(archive, { ".git": `gitdir: ${shop}/.git/worktrees/fix\n` });
    expect(findRepository(archive)).toEqual({ root: archive, worktree: archive, gitDir: null, commonDir: null });
  });

  it("does not believe a git folder that lies elsewhere and names the repository as its common one", async () => {
    const folder = await tempDir();
    const shop = await makeRepository(join(folder, "shop"));
    const archive = join(folder, "archive");
    await writeFiles(archive, {
      ".git": "gitdir: worktrees/x\n",
      "worktrees/x/commondir": `${shop}/.git\n`,
      "worktrees/x/gitdir": `${archive}/.git\n`,
    });
    expect(findCanonicalGitRoot(archive)).toBe(archive);
  });

  it("is a moved worktree's own folder until git repairs the link", async () => {
    const folder = await tempDir();
    const shop = await makeRepository(join(folder, "shop"));
    await git(shop, ["worktree", "add", "-q", join(folder, "fix")]);
    await rename(join(folder, "fix"), join(folder, "moved"));
    expect(findCanonicalGitRoot(join(folder, "moved"))).toBe(join(folder, "moved"));
    await git(shop, ["worktree", "repair", join(folder, "moved")]);
    expect(findCanonicalGitRoot(join(folder, "moved"))).toBe(shop);
  });

  it.each([
    ["empty", ""],
    ["of another shape", "hello\n"],
    ["that names nothing", "gitdir: /does/not/exist\n"],
    ["that names itself", "gitdir: .git\n"],
    ["with a NUL", "gitdir: /tmp\0/x\n"],
    ["over its bound", `gitdir: ${"x".repeat(LIMITS.gitPointerSizeBytesMax)}\n`],
  ])("is the folder where the .git file is one %s", async (_, text) => {
    const folder = await tempDir();
    await writeFiles(folder, { ".git": text });
    expect(findCanonicalGitRoot(folder)).toBe(folder);
  });

  it("resolves links: a repository reached through one is the same", async () => {
    const folder = await tempDir();
    const shop = await makeRepository(join(folder, "shop"), { "src/index.ts": "" });
    await symlink(join(shop, "src"), join(folder, "source"));
    expect(findCanonicalGitRoot(join(folder, "source"))).toBe(shop);
  });

  it("walks up no further than its bound", async () => {
    const top = await tempDir();
    await mkdir(join(top, ".git"));
    const at = join(top, "d/".repeat(LIMITS.parentFoldersMax - 1));
    await mkdir(join(at, "d"), { recursive: true });
    expect(findCanonicalGitRoot(at)).toBe(top);
    expect(findCanonicalGitRoot(join(at, "d"))).toBe(join(at, "d"));
  });

  it("throws disk for a folder that is not there", async () => {
    const folder = join(await tempDir(), "gone");
    expect(() => findCanonicalGitRoot(folder)).toThrow(expect.objectContaining({ code: "disk" }));
  });
});

describe("case 21: the hook inherits GIT_DIR, GIT_INDEX_FILE and GIT_WORK_TREE", () => {
  it("finds the folder's own repository, and no git runs", async () => {
    const folder = await tempDir();
    const shop = await makeRepository(join(folder, "shop"));
    const other = await makeRepository(join(folder, "other"));
    const inherited = {
      GIT_DIR: join(other, ".git"),
      GIT_WORK_TREE: other,
      GIT_COMMON_DIR: join(other, ".git"),
      PATH: "",
    };
    const before = { ...process.env };
    Object.assign(process.env, inherited);
    try {
      expect(findCanonicalGitRoot(shop)).toBe(shop);
    } finally {
      for (const name of Object.keys(inherited)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });
});

describe("case 30: a moved clone, and a copied one", () => {
  it("each is a root of its own, whatever it was", async () => {
    const folder = await tempDir();
    const shop = await makeRepository(join(folder, "shop"));
    await cp(shop, join(folder, "copy"), { recursive: true });
    await rename(shop, join(folder, "moved"));
    expect(findCanonicalGitRoot(join(folder, "moved"))).toBe(join(folder, "moved"));
    expect(findCanonicalGitRoot(join(folder, "copy"))).toBe(join(folder, "copy"));
  });
});
