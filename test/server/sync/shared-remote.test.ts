/** What befalls services on a remote that others push to, too. */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { compactWhenGrown } from "../../../server/git/compact.ts";
import type { RemoteRepository } from "../../../server/git/remote/open-remote.ts";
import { assertSound, git, gitEnvironment } from "../../support/git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { mustRun } from "../../support/run.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openMirror, type RemoteServer, refOnRemote, startRemote, writeHook } from "../git/remote/support.ts";
import { BASE, theGit } from "../git/support.ts";
import { ANA, merge, openEngine, RITA, SHOP, SHOP_FOLDER, textsOf, toRequest } from "./support.ts";

const engineOn = (mirror: RemoteRepository) => openEngine({ folder: "", gitDir: mirror.gitDir, port: mirror });

/** A root of its own with so many memories, upon `ref`; its id. */
async function importRoot({ gitDir }: RemoteServer, ref: string, count: number): Promise<string> {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const file = (at: number) => `M 100644 inline ${SHOP_FOLDER}/feedback_${at}.md\n${data(memoryText(`M${at}`))}`;
  const head = `commit ${ref}\ncommitter Ann <ann@example.org> 1700000000 +0000\n${data("All")}`;
  const input = head + Array.from({ length: count }, (_, at) => file(at)).join("");
  await mustRun("git", ["fast-import", "--quiet", "--force"], { cwd: gitDir, env: gitEnvironment(gitDir), input });
  return git(gitDir, ["rev-parse", ref]);
}

describe("services on a shared remote", () => {
  it("the remote is force-pushed from 79 files to 8: all 79 stay served, it is said, and nobody pushes them back", async () => {
    const remote = await startRemote();
    await importRoot(remote, BASE, 79);
    const engines = [await engineOn(await openMirror(remote)), await engineOn(await openMirror(remote))] as const;
    const eight = await importRoot(remote, "refs/heads/other", 8);
    await git(remote.gitDir, ["update-ref", BASE, eight]);
    for (const engine of [...engines, engines[0]]) await engine.refresh();
    for (const engine of engines) {
      expect(Object.keys(await textsOf(engine))).toHaveLength(79);
      expect((await engine.base()).held).toMatchObject([{ revision: eight }]);
      const put = engine.putProposal(SHOP, ulid(), toRequest({ "new.md": memoryText("New") }), ANA);
      await expect(put).rejects.toMatchObject({ code: "base_held" });
    }
    expect(await refOnRemote(remote, BASE)).toBe(eight);
    await engines[0].acceptBase(eight, RITA);
    for (const engine of engines) {
      await engine.refresh();
      expect(Object.keys(await textsOf(engine))).toHaveLength(8);
    }
  }, 60_000);

  it("two services initialise the same empty remote at once: one root, which both serve and write upon", async () => {
    const remote = await startRemote();
    const mirrors = await Promise.all([openMirror(remote), openMirror(remote)]);
    const [one, other] = await Promise.all(mirrors.map(engineOn));
    if (one === undefined || other === undefined) throw new Error("two were begun");
    await merge(one, { "one.md": memoryText("One") });
    await other.refresh();
    await merge(other, { "other.md": memoryText("Other") });
    await one.refresh();
    expect(await git(remote.gitDir, ["rev-list", "--max-parents=0", BASE])).toMatch(/^[0-9a-f]{40}$/);
    expect((await one.base()).revision).toBe((await other.base()).revision);
    expect(Object.keys(await textsOf(one)).sort()).toEqual(["one.md", "other.md"]);
  });

  it("a push is refused by a hook, kept by its author, and lands when it is tried again later", async () => {
    const remote = await startRemote();
    const engine = await engineOn(await openMirror(remote));
    const [id, set] = [ulid(), toRequest({ "a.md": memoryText("A") })];
    await writeHook(remote, "update", 'case "$1" in */team-memory/*) echo "sign your commits" >&2; exit 1;; esac');
    const refused = engine.putProposal(SHOP, id, set, ANA);
    await expect(refused).rejects.toMatchObject({ code: "remote_refused", message: /sign your commits/ });
    await rm(join(remote.gitDir, "hooks/update"));
    expect(await engine.putProposal(SHOP, id, set, ANA)).toMatchObject({ created: true });
    expect((await engine.listProposals(SHOP)).map((proposal) => proposal.id)).toEqual([id]);
  });

  it("the mirror's configuration names hooks, a monitor, a signing program and filters: none of them is run", async () => {
    const remote = await startRemote();
    const mirror = await openMirror(remote);
    const engine = await engineOn(mirror);
    const folder = await tempDir();
    await layTraps(mirror.gitDir, folder);
    await merge(engine, { "a.md": memoryText("A") });
    for (let at = 0; at < 20; at += 1) await mirror.writeBlob(Buffer.from(`grown ${at}`));
    await engine.refresh();
    await compactWhenGrown({ git: await theGit(), gitDir: mirror.gitDir });
    expect(Object.keys(await textsOf(await engineOn(mirror)))).toEqual(["a.md"]);
    expect(await readdir(folder)).not.toContain("sprung");
    // The traps are set: git that is left to itself steps into one.
    await git(mirror.gitDir, ["commit-tree", "-S", "-m", "Signed", `${BASE}^{tree}`]).catch(() => null);
    expect(await readdir(folder)).toContain("sprung");
    await assertSound(remote.gitDir);
  });
});

async function layTraps(gitDir: string, folder: string): Promise<void> {
  const trap = join(folder, "trap");
  await writeFile(trap, `#!/bin/sh\ntouch ${folder}/sprung\ncat\n`, { mode: 0o755 });
  await mkdir(join(gitDir, "hooks"), { recursive: true });
  for (const name of ["reference-transaction", "pre-auto-gc", "pre-push", "post-update"]) {
    await writeFile(join(gitDir, "hooks", name), `#!/bin/sh\ntouch ${folder}/sprung\n`, { mode: 0o755 });
  }
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(join(gitDir, "info/attributes"), "* filter=trap diff=trap\n");
  const settings = {
    "core.fsmonitor": trap,
    "core.hooksPath": join(gitDir, "hooks"),
    "gpg.program": trap,
    "commit.gpgSign": "true",
    "filter.trap.smudge": trap,
    "filter.trap.clean": trap,
    "diff.trap.textconv": trap,
  };
  for (const [name, value] of Object.entries(settings)) await git(gitDir, ["config", name, value]);
}
