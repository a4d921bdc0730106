import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assertSound } from "../../../support/git.ts";
import { BASE, baseOf, commitTexts } from "../support.ts";
import { BRANCH, commitOnRemote, openMirror, refOnRemote, startRemote, startWithBase, writeHook } from "./support.ts";

describe("a remote on this disk", () => {
  it("is begun, followed and moved", async () => {
    const remote = await startRemote();
    const mirror = await openMirror(remote, { byPath: true });
    const first = await baseOf(mirror);
    expect(await refOnRemote(remote, BASE)).toBe(first);
    const second = await commitOnRemote(remote, BASE, "b.md", "b\n");
    await mirror.refresh();
    expect(await baseOf(mirror)).toBe(second);
    const next = await commitTexts(mirror, second, { "c.md": "c\n" });
    await mirror.publish([{ ref: BRANCH, expectedOld: null, new: next }]);
    const both = [
      { ref: BASE, expectedOld: second, new: next },
      { ref: BRANCH, expectedOld: next, new: null },
    ];
    expect(await mirror.publish(both)).toEqual({ kind: "published" });
    expect([await refOnRemote(remote, BASE), await refOnRemote(remote, BRANCH)]).toEqual([next, null]);
    expect(remote.requests).toEqual([]);
    await assertSound(remote.gitDir);
    await assertSound(mirror.gitDir);
  });

  it("says lost where another was first, to move or to create, and moves nothing then", async () => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote, { byPath: true });
    const next = await commitTexts(mirror, first, { "b.md": "b\n" });
    const theirs = await commitOnRemote(remote, BRANCH, "theirs.md", "theirs\n");
    const both = [
      { ref: BASE, expectedOld: first, new: next },
      { ref: BRANCH, expectedOld: null, new: next },
    ];
    expect(await mirror.publish(both)).toEqual({ kind: "lost", ref: BRANCH });
    expect([await refOnRemote(remote, BASE), await refOnRemote(remote, BRANCH)]).toEqual([first, theirs]);
  });

  it.each(["pre-receive", "update"])("tells a refusal by a %s hook with its words", async (hook) => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote, { byPath: true });
    await writeHook(remote, hook, "echo 'no \u001b[31mfriday\u001b[0m deploys' >&2; exit 1");
    const next = await commitTexts(mirror, first, { "b.md": "b\n" });
    const push = mirror.publish([{ ref: BASE, expectedOld: first, new: next }]);
    await expect(push).rejects.toMatchObject({ code: "remote_refused", message: /declined; no friday deploys$/ });
  });

  it("holds a base that was rewritten", async () => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote, { byPath: true });
    const other = await commitOnRemote(remote, "refs/heads/x", "x.md", "x\n");
    await writeFile(join(remote.gitDir, BASE), `${other}\n`);
    await mirror.refresh();
    expect([mirror.heldBase(), await baseOf(mirror)]).toEqual([{ from: first, to: other }, first]);
  });

  it("is out of reach while its folder is gone, for reads and writes, and then goes on", async () => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote, { byPath: true });
    const next = await commitTexts(mirror, first, { "b.md": "b\n" });
    const publish = () => mirror.publish([{ ref: BASE, expectedOld: first, new: next }]);
    await rename(remote.gitDir, `${remote.gitDir}.away`);
    const gone = { code: "remote_unreachable", message: expect.stringContaining("no git repository lies at its path") };
    await expect(mirror.refresh()).rejects.toMatchObject(gone);
    await expect(publish()).rejects.toMatchObject(gone);
    await rename(`${remote.gitDir}.away`, remote.gitDir);
    expect(await publish()).toEqual({ kind: "published" });
  });

  it("is refused where it is no repository, and without git", async () => {
    const remote = await startRemote();
    await expect(openMirror({ ...remote, gitDir: "/nowhere" }, { byPath: true })).rejects.toMatchObject({
      code: "remote_unreachable",
    });
    await expect(openMirror(remote, { byPath: true, withGit: false })).rejects.toMatchObject({ code: "git_required" });
  });
});
