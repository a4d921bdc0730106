import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GitId } from "../../../../server/git/port.ts";
import { assertSound, git } from "../../../support/git.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { BASE, baseOf, commitTexts } from "../support.ts";
import { BRANCH, commitOnRemote, openMirror, refOnRemote, startWithBase } from "./support.ts";

describe("refresh", () => {
  it("keeps the last good state where the fetch is cut, at any byte", async () => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote);
    const second = await commitOnRemote(remote, BASE, "b.md", "b\n".repeat(100));
    for (const bytes of [0, 4, 30, 120, 250]) {
      remote.cutAfter = cutFetch(remote.requests, bytes);
      await expect(mirror.refresh()).rejects.toMatchObject({ code: "remote_unreachable" });
      expect(await baseOf(mirror)).toBe(first);
    }
    expect(await readdir(join(mirror.gitDir, "objects", "pack"))).toHaveLength(2);
    remote.cutAfter = () => Number.POSITIVE_INFINITY;
    await mirror.refresh();
    expect(await baseOf(mirror)).toBe(second);
    await assertSound(mirror.gitDir);
  });

  it("takes half a list of references for none, not for deleted branches", async () => {
    const { remote } = await startWithBase();
    const branch = await commitOnRemote(remote, BRANCH, "c.md", "c\n");
    const mirror = await openMirror(remote);
    for (const bytes of [0, 60, 67]) {
      remote.cutAfter = () => bytes;
      await expect(mirror.refresh()).rejects.toMatchObject({ code: "remote_unreachable" });
    }
    expect(await mirror.readRef(BRANCH)).toBe(branch);
  });

  it.each([
    ["rewritten", (gitDir: string, other: GitId) => git(gitDir, ["update-ref", BASE, other])],
    ["gone", (gitDir: string) => git(gitDir, ["update-ref", "-d", BASE])],
  ])("holds a base that is %s until it is accepted", async (_, change) => {
    const { remote, first } = await startWithBase();
    const folder = join(await tempDir(), "mirror");
    const mirror = await openMirror(remote, { folder });
    const other = await commitOnRemote(remote, "refs/heads/elsewhere", "x.md", "x\n");
    await change(remote.gitDir, other);
    await mirror.refresh();
    const to = await refOnRemote(remote, BASE);
    expect(mirror.heldBase()).toEqual({ from: first, to });
    expect(await baseOf(mirror)).toBe(first);
    const next = await commitTexts(mirror, first, { "b.md": "b\n" });
    const push = mirror.publish([{ ref: BRANCH, expectedOld: null, new: next }]);
    await expect(push).rejects.toMatchObject({ code: "base_held" });
    expect((await openMirror(remote, { folder })).heldBase()).toEqual({ from: first, to });
    await expect(mirror.acceptBase(first)).rejects.toMatchObject({ code: "base_held" });
    if (to === null) return;
    await mirror.acceptBase(to);
    expect([mirror.heldBase(), await baseOf(mirror)]).toEqual([null, to]);
  });

  it("neither closes proposals nor locks everybody out when the remote is emptied", async () => {
    const { remote, first } = await startWithBase();
    const branch = await commitOnRemote(remote, BRANCH, "c.md", "c\n");
    const state = await commitOnRemote(remote, "refs/team-memory/state", "people.json", "{}\n");
    const mirror = await openMirror(remote);
    await git(remote.gitDir, ["update-ref", "-d", "refs/team-memory/state"]);
    await mirror.refresh();
    expect(await mirror.readRef("refs/team-memory/state")).toBe(state);
    for (const ref of [BASE, BRANCH]) await git(remote.gitDir, ["update-ref", "-d", ref]);
    await mirror.refresh();
    expect([await baseOf(mirror), await mirror.readRef(BRANCH)]).toEqual([first, branch]);
  });

  it("lets a held base go by itself when it is put right on the remote", async () => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote);
    await git(remote.gitDir, ["update-ref", BASE, await commitOnRemote(remote, "refs/heads/x", "x.md", "x\n")]);
    await mirror.refresh();
    await git(remote.gitDir, ["update-ref", BASE, first]);
    await mirror.refresh();
    expect(mirror.heldBase()).toBeNull();
  });

  it("ends a remote that hangs, and one that never comes to an end", async () => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote, { times: { idleTimeoutMs: 1_000, requestTimeoutMs: 2_000 } });
    remote.before = () => true;
    await expect(mirror.refresh()).rejects.toMatchObject({ code: "remote_unreachable", message: /in time/ });
    remote.before = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("0005x"), 50);
      response.on("close", () => clearInterval(timer));
      return true;
    };
    await expect(mirror.refresh()).rejects.toMatchObject({ code: "remote_unreachable", message: /in time/ });
    expect(await baseOf(mirror)).toBe(first);
  });
});

/** The list of references comes whole, what follows is cut. */
function cutFetch(requests: string[], bytes: number): () => number {
  const before = requests.length;
  return () => (requests.length > before + 1 ? bytes : Number.POSITIVE_INFINITY);
}
