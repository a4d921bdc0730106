import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RemoteRepository } from "../../../../server/git/remote/open-remote.ts";
import { TeamMemoryError } from "../../../../shared/errors/team-memory-error.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { commitTexts } from "../support.ts";
import {
  commitOnRemote,
  isPush,
  openMirror,
  type RemoteServer,
  refOnRemote,
  startWithBase,
  writeHook,
} from "./support.ts";

const branch = (at: number) => `refs/heads/team-memory/01HZZZZZZZZZZZZZZZZZZZZZZ${at}`;

/** Three changes of a branch each, upon the base. */
async function plan(mirror: RemoteRepository, first: string) {
  const updates = [];
  for (const at of [0, 1, 2]) {
    const id = await commitTexts(mirror, first, { [`k${at}.md`]: `${at}\n` });
    updates.push({ ref: branch(at), expectedOld: null, new: id });
  }
  return updates;
}

function pushesTo({ requests }: RemoteServer): number {
  return requests.filter((line) => line === "POST /git-receive-pack").length;
}

function toWords(outcomes: Awaited<ReturnType<RemoteRepository["publishEach"]>>): readonly string[] {
  return outcomes.map((outcome) => (outcome instanceof TeamMemoryError ? outcome.code : outcome.kind));
}

describe("publishEach", () => {
  it.each([{ byPath: false }, { byPath: true }])("pushes all in one (by path: $byPath)", async ({ byPath }) => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote, { byPath });
    const updates = await plan(mirror, first);
    expect(toWords(await mirror.publishEach(updates))).toEqual(["published", "published", "published"]);
    if (!byPath) expect(pushesTo(remote)).toBe(1);
    for (const update of updates) {
      expect(await refOnRemote(remote, update.ref)).toBe(update.new);
      expect(await mirror.readRef(update.ref)).toBe(update.new);
    }
  });

  it.each([{ byPath: false }, { byPath: true }])(
    "tells one that lost its race, and lands the others (by path: $byPath)",
    async ({ byPath }) => {
      const { remote, first } = await startWithBase();
      const mirror = await openMirror(remote, { byPath, folder: join(await tempDir(), "mirror") });
      const updates = await plan(mirror, first);
      await commitOnRemote(remote, branch(1), "x.md", "somebody else\n");
      expect(toWords(await mirror.publishEach(updates))).toEqual(["published", "lost", "published"]);
      expect(await mirror.readRef(branch(1))).toBeNull();
      expect(toWords(await mirror.publishEach(updates))).toEqual(["lost", "lost", "lost"]);
    },
  );

  it.each([
    { hook: "update", script: 'case "$1" in *1) echo "not this one" >&2; exit 1;; esac' },
    { hook: "pre-receive", script: 'while read -r a b ref; do case "$ref" in *1) exit 1;; esac; done' },
  ])("what a hook ($hook) refuses of one leaves the others alone", async ({ hook, script }) => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote);
    await writeHook(remote, hook, script);
    const outcomes = await mirror.publishEach(await plan(mirror, first));
    expect(toWords(outcomes)).toEqual(["published", "remote_refused", "published"]);
  });

  it("knows what was taken of a push whose answer was cut, and what never arrived", async () => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote);
    const updates = await plan(mirror, first);
    remote.before = (request, response) => isPush(request) && response.destroy() === response;
    expect(toWords(await mirror.publishEach(updates))).toEqual(Array(3).fill("remote_unreachable"));
    remote.before = () => false;
    remote.cutAfter = (request) => (isPush(request) ? 3 : Number.POSITIVE_INFINITY);
    expect(toWords(await mirror.publishEach(updates))).toEqual(Array(3).fill("published"));
  });
});
