import { describe, expect, it } from "vitest";
import type { GitId, GitPort } from "../../../../server/git/port.ts";
import { git } from "../../../support/git.ts";
import { BASE, COMMIT_DEFAULTS } from "../support.ts";
import { commitOnRemote, openMirror, type RemoteServer, refOnRemote, startWithBase, writeHook } from "./support.ts";

const STATE = "refs/team-memory/state";
const STATE_BRANCH = "refs/heads/team-memory-state";

const hide = (side: string) => (remote: RemoteServer) =>
  git(remote.gitDir, ["config", `${side}.hideRefs`, "refs/team-memory"]);
const refuse = (remote: RemoteServer) =>
  writeHook(remote, "update", 'case "$1" in refs/heads/*) ;; *) echo "branches only" >&2; exit 1;; esac');

async function commitState(mirror: GitPort, text: string, parent: GitId | null): Promise<GitId> {
  const changes = [{ path: "people.json", blob: await mirror.writeBlob(Buffer.from(text)) }];
  if (parent === null) return mirror.commitRoot({ ...COMMIT_DEFAULTS, changes });
  return mirror.commitChanges({ ...COMMIT_DEFAULTS, changes, parents: [parent] });
}

const HOSTS = [
  { host: "refuses what is no branch", byPath: false, setUp: refuse },
  { host: "refuses what is no branch", byPath: true, setUp: refuse },
  { host: "takes no push to it", byPath: false, setUp: hide("receive") },
  { host: "hides it altogether", byPath: false, setUp: hide("transfer") },
  { host: "takes it and shows it to nobody", byPath: true, setUp: hide("uploadpack") },
];

describe("the state", () => {
  it.each(HOSTS)(
    "on a host that $host is a branch, one for two replicas (by path: $byPath)",
    async ({ byPath, setUp }) => {
      const { remote } = await startWithBase();
      await setUp(remote);
      const [one, other] = [await openMirror(remote, { byPath }), await openMirror(remote, { byPath })];
      const first = await commitState(one, "one", null);
      expect(await one.publish([{ ref: STATE, expectedOld: null, new: first }])).toEqual({ kind: "published" });
      const rival = await commitState(other, "other", null);
      expect(await other.publish([{ ref: STATE, expectedOld: null, new: rival }])).toMatchObject({ kind: "lost" });
      await other.refresh();
      expect(await other.readRef(STATE)).toBe(first);
      const second = await commitState(other, "both", first);
      expect(await other.publish([{ ref: STATE, expectedOld: first, new: second }])).toEqual({ kind: "published" });
      await one.refresh();
      const fresh = await openMirror(remote, { byPath });
      expect([await one.readRef(STATE), await fresh.readRef(STATE)]).toEqual([second, second]);
      expect(await refOnRemote(remote, STATE_BRANCH)).toBe(second);
    },
  );

  it("goes on at once in the process that began it, without a look", async () => {
    const { remote } = await startWithBase();
    await refuse(remote);
    const mirror = await openMirror(remote);
    const first = await commitState(mirror, "1", null);
    await mirror.publish([{ ref: STATE, expectedOld: null, new: first }]);
    const second = await commitState(mirror, "2", first);
    const outcome = await mirror.publish([{ ref: STATE, expectedOld: first, new: second }]);
    expect(outcome).toEqual({ kind: "published" });
  });

  it("stays a reference where it is one, whatever branch somebody pushes, and whatever a hook refuses later", async () => {
    const { remote } = await startWithBase();
    const mirror = await openMirror(remote);
    const first = await commitState(mirror, "1", null);
    await mirror.publish([{ ref: STATE, expectedOld: null, new: first }]);
    expect(await refOnRemote(remote, STATE)).toBe(first);
    await refuse(remote);
    await mirror.refresh();
    const second = await commitState(mirror, "2", first);
    const refused = mirror.publish([{ ref: STATE, expectedOld: first, new: second }]);
    await expect(refused).rejects.toMatchObject({ code: "remote_refused" });
    expect(await refOnRemote(remote, STATE_BRANCH)).toBeNull();
    await commitOnRemote(remote, STATE_BRANCH, "people.json", "everybody\n");
    await mirror.refresh();
    expect(await mirror.readRef(STATE)).toBe(first);
    expect([...(await mirror.readRefs("refs/heads/")).keys()]).toEqual([BASE]);
  });

  it("is refused where the branch is refused, too, in the remote's words", async () => {
    const { remote } = await startWithBase();
    await writeHook(remote, "update", "echo 'nobody but the platform team' >&2; exit 1");
    const mirror = await openMirror(remote);
    const first = await commitState(mirror, "1", null);
    const refused = mirror.publish([{ ref: STATE, expectedOld: null, new: first }]);
    await expect(refused).rejects.toMatchObject({ code: "remote_refused", message: /platform team$/ });
  });
});
