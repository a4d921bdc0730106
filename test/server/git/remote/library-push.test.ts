import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assertSound } from "../../../support/git.ts";
import { parsePrinted, serveGit } from "../../../support/git-host.ts";
import { BASE, commitTexts } from "../support.ts";
import {
  BRANCH,
  commitOnRemote,
  isPush,
  openMirror,
  type RemoteServer,
  refOnRemote,
  startWithBase,
  writeHook,
} from "./support.ts";

/** A host that takes pushes of programs that it knows alone, with this status for the others. */
function refuseOurs(remote: RemoteServer, status: number): void {
  remote.before = (request, response) => {
    const isOurs = isPush(request) && request.headers["user-agent"] === "git/team-memory";
    if (isOurs) response.writeHead(status).end();
    return isOurs;
  };
}

async function openRefused(status = 400) {
  const { remote, first } = await startWithBase();
  const mirror = await openMirror(remote);
  const next = await commitTexts(mirror, first, { "projects/p/team/b.md": "b\n" });
  refuseOurs(remote, status);
  return { remote, mirror, first, next };
}

describe("a push to a host that does not take the form of ours", { timeout: 30_000 }, () => {
  it("creates, moves and deletes by the library, and asks in our form once", async () => {
    const { remote, mirror, first, next } = await openRefused();
    expect(await mirror.publish([{ ref: BRANCH, expectedOld: null, new: next }])).toEqual({ kind: "published" });
    const pushes = () => remote.requests.filter((line) => line === "POST /git-receive-pack").length;
    expect(pushes()).toBe(2);
    const both = [
      { ref: BASE, expectedOld: first, new: next },
      { ref: BRANCH, expectedOld: next, new: null },
    ];
    expect(await mirror.publish(both)).toEqual({ kind: "published" });
    expect(pushes()).toBe(4);
    expect([await refOnRemote(remote, BASE), await refOnRemote(remote, BRANCH)]).toEqual([next, null]);
    expect([...(await mirror.readRefs("refs/")).keys()]).toEqual([BASE]);
    await assertSound(remote.gitDir);
    await assertSound(mirror.gitDir);
  });

  it("moves several references of one change, the first of which decides", async () => {
    const { remote, mirror, first, next } = await openRefused(415);
    const both = [
      { ref: BASE, expectedOld: first, new: next },
      { ref: BRANCH, expectedOld: null, new: next },
    ];
    expect(await mirror.publish(both)).toEqual({ kind: "published" });
    expect([await refOnRemote(remote, BASE), await refOnRemote(remote, BRANCH)]).toEqual([next, next]);
    const theirs = await commitOnRemote(remote, BASE, "theirs.md", "theirs\n");
    const later = await commitTexts(mirror, next, { "projects/p/team/c.md": "c\n" });
    const lost = [
      { ref: BASE, expectedOld: next, new: later },
      { ref: BRANCH, expectedOld: next, new: later },
    ];
    expect(await mirror.publish(lost)).toEqual({ kind: "lost", ref: BASE });
    expect([await refOnRemote(remote, BASE), await refOnRemote(remote, BRANCH)]).toEqual([theirs, next]);
  });

  it("goes over nobody's push, also not over one that came between its look and its push", async () => {
    const { remote, mirror, first, next } = await openRefused();
    const theirs = await commitOnRemote(remote, "refs/heads/x", "x.md", "x\n");
    const refuse = remote.before;
    remote.before = (request, response) => {
      if (refuse(request, response)) return true;
      if (isPush(request)) writeFileSync(join(remote.gitDir, BASE), `${theirs}\n`);
      return false;
    };
    expect(await mirror.publish([{ ref: BASE, expectedOld: first, new: next }])).toEqual({ kind: "lost", ref: BASE });
    expect(await refOnRemote(remote, BASE)).toBe(theirs);
  });

  it("tells a refusal by a hook with its words, and each of several independent changes its own", async () => {
    const { remote, mirror, first, next } = await openRefused();
    await writeHook(remote, "update", `[ "$1" = ${BASE} ] && { echo 'not on a friday' >&2; exit 1; }; exit 0`);
    const [base, branch] = await mirror.publishEach([
      { ref: BASE, expectedOld: first, new: next },
      { ref: BRANCH, expectedOld: null, new: next },
    ]);
    expect(base).toMatchObject({ code: "remote_refused", message: expect.stringContaining("not on a friday") });
    expect(branch).toEqual({ kind: "published" });
  });

  it.each([401, 403, 404])("does not try again in another form what was answered %i", async (status) => {
    const { remote, mirror, first, next } = await openRefused(status);
    const push = mirror.publish([{ ref: BASE, expectedOld: first, new: next }]);
    await expect(push).rejects.toMatchObject({ code: "remote_denied" });
    expect(remote.requests.filter((line) => line === "POST /git-receive-pack")).toHaveLength(1);
  });

  it("says what our own push was answered where the library's is not taken either", async () => {
    const { remote, mirror, first, next } = await openRefused();
    remote.before = (request, response) => {
      if (isPush(request)) response.writeHead(request.headers["user-agent"] === "git/team-memory" ? 400 : 405).end();
      return isPush(request);
    };
    const push = mirror.publish([{ ref: BASE, expectedOld: first, new: next }]);
    await expect(push).rejects.toMatchObject({ code: "remote_denied", details: { status: 400 } });
  });
});

describe("a push to a host that offers little", () => {
  it.each([["atomic"], ["side-band-64k"], ["report-status"]])(
    "is known as published without %s",
    async (capability) => {
      const { remote, first } = await startWithBase();
      const mirror = await openMirror(remote);
      withholdCapability(remote, capability);
      const next = await commitTexts(mirror, first, { "projects/p/team/b.md": "b\n" });
      const both = [
        { ref: BASE, expectedOld: first, new: next },
        { ref: BRANCH, expectedOld: null, new: next },
      ];
      expect(await mirror.publish(both)).toEqual({ kind: "published" });
      expect([await refOnRemote(remote, BASE), await refOnRemote(remote, BRANCH)]).toEqual([next, next]);
      const stale = await commitTexts(mirror, first, { "projects/p/team/c.md": "c\n" });
      expect(await mirror.publish([{ ref: BASE, expectedOld: first, new: stale }])).toMatchObject({ kind: "lost" });
    },
  );
});

/** The same answer, without this word in it; its first packet's length says so. */
function withholdCapability(remote: RemoteServer, capability: string): void {
  remote.before = (request, response) => {
    if (request.method !== "GET" || !request.url?.endsWith("service=git-receive-pack")) return false;
    serveGit(remote.gitDir, request, (printed) => {
      const { status, headers, body } = parsePrinted(printed);
      response.writeHead(status, headers).end(withoutWord(body.toString("latin1"), capability));
    });
    return true;
  };
}

function withoutWord(advertised: string, word: string): string {
  const [, service = "", length = "", line = "", rest = ""] =
    /^([\s\S]*?0000)([0-9a-f]{4})([^\n]*\n)([\s\S]*)$/.exec(advertised) ?? [];
  const left = line.replace(new RegExp(`(^|[ \\0])${word}(?=[ \\n])`), "$1");
  if (left === line) throw new Error(`${word} was not offered`);
  const size = Number.parseInt(length, 16) - (line.length - left.length);
  return `${service}${size.toString(16).padStart(4, "0")}${left}${rest}`;
}
