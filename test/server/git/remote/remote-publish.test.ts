import { describe, expect, it } from "vitest";
import { assertSound, git } from "../../../support/git.ts";
import { BASE, commitTexts } from "../support.ts";
import { BRANCH, commitOnRemote, isPush, openMirror, refOnRemote, startWithBase, writeHook } from "./support.ts";

describe("publish to a remote", () => {
  async function openWithCommit() {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote);
    const next = await commitTexts(mirror, first, { "projects/p/team/b.md": "b\n" });
    return { remote, mirror, first, next };
  }

  it("moves, creates and deletes, in one request each, sending what the remote lacks", async () => {
    const { remote, mirror, first, next } = await openWithCommit();
    expect(await mirror.publish([{ ref: BRANCH, expectedOld: null, new: next }])).toEqual({ kind: "published" });
    remote.requests.length = 0;
    const both = [
      { ref: BASE, expectedOld: first, new: next },
      { ref: BRANCH, expectedOld: next, new: null },
    ];
    expect(await mirror.publish(both)).toEqual({ kind: "published" });
    expect(remote.requests).toEqual(["POST /git-receive-pack"]);
    expect([await refOnRemote(remote, BASE), await refOnRemote(remote, BRANCH)]).toEqual([next, null]);
    expect([await mirror.readRef(BASE), await mirror.readRef(BRANCH)]).toEqual([next, null]);
    await assertSound(remote.gitDir);
  });

  it("keeps our own state on the remote, too", async () => {
    const { remote, mirror, next } = await openWithCommit();
    const state = "refs/team-memory/state";
    await mirror.publish([{ ref: state, expectedOld: null, new: next }]);
    expect(await refOnRemote(remote, state)).toBe(next);
    expect(await (await openMirror(remote)).readRef(state)).toBe(next);
  });

  it("says lost, and moves nothing, where another has pushed between reading and publishing", async () => {
    const { remote, mirror, first, next } = await openWithCommit();
    const theirs = await commitOnRemote(remote, BASE, "theirs.md", "theirs\n");
    const both = [
      { ref: BASE, expectedOld: first, new: next },
      { ref: BRANCH, expectedOld: null, new: next },
    ];
    expect(await mirror.publish(both)).toEqual({ kind: "lost", ref: BASE });
    expect([await refOnRemote(remote, BASE), await refOnRemote(remote, BRANCH)]).toEqual([theirs, null]);
    await mirror.refresh();
    const merged = await commitTexts(mirror, theirs, { "projects/p/team/b.md": "b\n" });
    expect(await mirror.publish([{ ref: BASE, expectedOld: theirs, new: merged }])).toEqual({ kind: "published" });
    await assertSound(remote.gitDir);
  });

  it.each([
    ["pre-receive", "echo 'no \u001b[31mfriday\u001b[0m deploys' >&2; exit 1", "no friday deploys"],
    ["update", "echo 'this branch is \u202eprotected' >&2; exit 1", "this branch is"],
    ["pre-receive", "printf 'x%.0s' $(seq 20000) >&2; exit 1", "xxx"],
  ])("tells a refusal by a %s hook with its words", async (hook, script, words) => {
    const { remote, mirror, first, next } = await openWithCommit();
    await writeHook(remote, hook, script);
    const error = await mirror.publish([{ ref: BASE, expectedOld: first, new: next }]).catch((caught) => caught);
    expect(error).toMatchObject({ code: "remote_refused", message: expect.stringContaining(words) });
    expect(error.message).toMatch(/declined/);
    expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(error.message.length).toBeLessThan(700);
    expect([await refOnRemote(remote, BASE), await mirror.readRef(BASE)]).toEqual([first, first]);
  });

  it("tells what a protected branch and a bound on size say", async () => {
    const { remote, mirror, first, next } = await openWithCommit();
    await git(remote.gitDir, ["config", "receive.denyDeletes", "true"]);
    await mirror.publish([{ ref: BRANCH, expectedOld: null, new: next }]);
    const deletion = mirror.publish([{ ref: BRANCH, expectedOld: next, new: null }]);
    await expect(deletion).rejects.toMatchObject({ code: "remote_refused", message: /deletion prohibited/ });
    await git(remote.gitDir, ["config", "receive.maxInputSize", "10"]);
    const large = await commitTexts(mirror, first, { "large.md": "large ".repeat(1000) });
    const push = mirror.publish([{ ref: BASE, expectedOld: first, new: large }]);
    await expect(push).rejects.toMatchObject({ code: "remote_refused" });
  });

  it("sends again what a refused push had carried", async () => {
    const { remote, mirror, first, next } = await openWithCommit();
    await writeHook(remote, "pre-receive", "exit 1");
    await expect(mirror.publish([{ ref: BASE, expectedOld: first, new: next }])).rejects.toThrow();
    await writeHook(remote, "pre-receive", "exit 0");
    expect(await mirror.publish([{ ref: BASE, expectedOld: first, new: next }])).toEqual({ kind: "published" });
    await assertSound(remote.gitDir);
  });

  it("goes one by one where the remote does not offer atomic, the base first", async () => {
    const { remote, mirror, first, next } = await openWithCommit();
    await git(remote.gitDir, ["config", "receive.advertiseAtomic", "false"]);
    await mirror.publish([{ ref: BRANCH, expectedOld: null, new: next }]);
    await writeHook(remote, "update", '[ "$3" = 0000000000000000000000000000000000000000 ] && exit 1; exit 0');
    const both = [
      { ref: BRANCH, expectedOld: next, new: null },
      { ref: BASE, expectedOld: first, new: next },
    ];
    expect(await mirror.publish(both)).toEqual({ kind: "published" });
    expect([await refOnRemote(remote, BASE), await refOnRemote(remote, BRANCH)]).toEqual([next, next]);
    await mirror.refresh();
    expect(await mirror.readRef(BRANCH)).toBe(next);
  });

  it.each([0, 1, 10])("knows a push as published whose answer was cut after %i bytes", async (bytes) => {
    const { remote, mirror, first, next } = await openWithCommit();
    remote.cutAfter = (request) => (isPush(request) ? bytes : Number.POSITIVE_INFINITY);
    expect(await mirror.publish([{ ref: BASE, expectedOld: first, new: next }])).toEqual({ kind: "published" });
    expect(await refOnRemote(remote, BASE)).toBe(next);
  });

  it("does not take a push for published that never arrived", async () => {
    const { remote, mirror, first, next } = await openWithCommit();
    remote.before = (request, response) => isPush(request) && response.destroy().destroyed;
    const push = mirror.publish([{ ref: BASE, expectedOld: first, new: next }]);
    await expect(push).rejects.toMatchObject({ code: "remote_unreachable" });
    expect(await mirror.readRef(BASE)).toBe(first);
  });
});
