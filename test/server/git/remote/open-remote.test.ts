import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assertSound, git } from "../../../support/git.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { BASE, baseOf, commitTexts } from "../support.ts";
import { BRANCH, commitOnRemote, openMirror, refOnRemote, startRemote, startWithBase, TOKEN } from "./support.ts";

describe("openRemoteRepository", () => {
  it.each([true, false])("fetches what the remote has, and what comes later (git binary: %s)", async (withGit) => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote, { withGit });
    expect(await baseOf(mirror)).toBe(first);
    const second = await commitOnRemote(remote, BASE, "projects/p/team/b.md", "b\n");
    const branch = await commitOnRemote(remote, BRANCH, "c.md", "c\n");
    await mirror.refresh();
    expect(await baseOf(mirror)).toBe(second);
    expect(await mirror.readRefs("refs/heads/team-memory/")).toEqual(new Map([[BRANCH, branch]]));
    const { tree } = await mirror.readCommit(second);
    expect((await mirror.readTree(tree, 10)).map(({ name }) => name)).toEqual(["projects"]);
    await assertSound(mirror.gitDir);
  });

  it("asks for the list of references alone while nothing has moved", async () => {
    const { remote } = await startWithBase();
    const mirror = await openMirror(remote);
    remote.requests.length = 0;
    await mirror.refresh();
    await mirror.refresh();
    expect(remote.requests).toEqual(["POST /git-upload-pack", "POST /git-upload-pack"]);
  });

  it("begins an empty remote; of two that do so at once one is first and the other takes its commit", async () => {
    const remote = await startRemote();
    const [one, other] = await Promise.all([openMirror(remote), openMirror(remote)]);
    expect(await baseOf(one)).toBe(await refOnRemote(remote, BASE));
    expect(await baseOf(other)).toBe(await baseOf(one));
    await assertSound(remote.gitDir);
  });

  it("keeps the base under its own name, whatever the branch is called on the remote", async () => {
    const remote = await startRemote();
    await commitOnRemote(remote, BASE, "code.txt", "not memory\n");
    const first = await commitOnRemote(remote, "refs/heads/memory", "a.md", "a\n");
    const mirror = await openMirror(remote, { baseRef: "refs/heads/memory" });
    expect(await baseOf(mirror)).toBe(first);
    const next = await commitTexts(mirror, first, { "b.md": "b\n" });
    expect(await mirror.publish([{ ref: BASE, expectedOld: first, new: next }])).toEqual({ kind: "published" });
    expect(await refOnRemote(remote, "refs/heads/memory")).toBe(next);
  });

  it("does not begin a base on a remote that has other branches", async () => {
    const remote = await startRemote();
    await commitOnRemote(remote, "refs/heads/trunk", "a.md", "a\n");
    await expect(openMirror(remote)).rejects.toMatchObject({ code: "config_invalid" });
    expect(await refOnRemote(remote, BASE)).toBeNull();
  });

  it("refuses a shallow remote", async () => {
    const { remote } = await startWithBase();
    await commitOnRemote(remote, BASE, "b.md", "b\n");
    const shallow = join(await tempDir(), "memory.git");
    await git(remote.gitDir, ["clone", "-q", "--bare", "--depth", "1", `file://${remote.gitDir}`, shallow]);
    await rm(remote.gitDir, { recursive: true });
    await git(shallow, ["clone", "-q", "--bare", `file://${shallow}`, remote.gitDir]).catch(() => {});
    expect(existsSync(join(remote.gitDir, "shallow"))).toBe(true);
    await expect(openMirror(remote)).rejects.toMatchObject({ message: expect.stringContaining("shallow") });
  });

  it("serves the last look where the remote is not there, and nothing where there was none", async () => {
    const { remote, first } = await startWithBase();
    const folder = join(await tempDir(), "mirror");
    await openMirror(remote, { folder });
    remote.before = (_, response) => Boolean(response.writeHead(503).end());
    const again = await openMirror(remote, { folder });
    expect(await baseOf(again)).toBe(first);
    expect(again.healed.join()).toContain("503");
    await expect(openMirror(remote)).rejects.toMatchObject({ code: "remote_unreachable" });
  });
});

describe("the token of a remote", () => {
  it("is in no argument, error or file", async () => {
    const { remote } = await startWithBase();
    const mirror = await openMirror(remote);
    remote.token = "another";
    const error = await mirror.refresh().catch((caught) => caught);
    expect(error).toMatchObject({ code: "remote_denied" });
    expect(JSON.stringify([error.message, error.details, error.stack, String(error.cause)])).not.toContain(TOKEN);
    expect(await git(mirror.gitDir, ["config", "--list", "--file", "config"])).not.toContain(TOKEN);
  });
});
