import { execFileSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git } from "../../../support/git.ts";
import { BASE, baseOf } from "../support.ts";
import { commitOnRemote, openMirror, type RemoteServer, startWithBase } from "./support.ts";

/** One more commit on the remote, deep in its folders. */
async function commitDeep(remote: RemoteServer) {
  const commit = await commitOnRemote(remote, BASE, "projects/p/team/deep/b.md", "b\n");
  const idOf = async (path: string) => (await git(remote.gitDir, ["rev-parse", `${commit}${path}`])).trim();
  return {
    commit,
    root: await idOf("^{tree}"),
    tree: await idOf(":projects/p/team/deep"),
    blob: await idOf(":projects/p/team/deep/b.md"),
  };
}

/** All objects that the base has gained since `first`. */
async function newIds({ gitDir }: RemoteServer, first: string): Promise<readonly string[]> {
  const lines = (await git(gitDir, ["rev-list", "--objects", BASE, `^${first}`])).trim().split("\n");
  return lines.map((line) => line.slice(0, 40));
}

/** A host that checks nothing: the next fetch is answered with a pack of these objects, whatever is missing from them. */
function answerWith(remote: RemoteServer, ids: readonly string[]): void {
  const pack = execFileSync("git", ["pack-objects", "--stdout", "-q"], {
    cwd: remote.gitDir,
    input: `${ids.join("\n")}\n`,
  });
  const packet = (bytes: Buffer) =>
    Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
  const body = Buffer.concat([
    packet(Buffer.from("packfile\n")),
    packet(Buffer.concat([Buffer.from([1]), pack])),
    Buffer.from("0000"),
  ]);
  let posts = 0;
  remote.before = ({ method }, response) => {
    if (method === "POST") posts += 1;
    // The first asks for the list of references.
    const isFetch = method === "POST" && posts > 1;
    if (isFetch) response.writeHead(200).end(body);
    return isFetch;
  };
}

const PROGRAMS = [
  ["with git", true],
  ["without git", false],
] as const;

describe.each(PROGRAMS)("a fetch whose pack lacks an object, %s", { timeout: 30_000 }, (_, withGit) => {
  const cases = ["blob", "tree", "root", "commit"] as const;

  it.each(cases)(
    "is refused without the new %s, the last good base kept, and taken once it is whole",
    async (lacking) => {
      const { remote, first } = await startWithBase();
      const mirror = await openMirror(remote, { withGit });
      const packs = join(mirror.gitDir, "objects", "pack");
      const before = await readdir(packs);
      const added = await commitDeep(remote);
      const sent = (await newIds(remote, first)).filter((id) => id !== added[lacking]);
      answerWith(remote, sent);
      await expect(mirror.refresh()).rejects.toMatchObject({ code: "remote_unreachable" });
      expect([await baseOf(mirror), await readdir(packs)]).toEqual([first, before]);
      remote.before = () => false;
      await mirror.refresh();
      expect(await baseOf(mirror)).toBe(added.commit);
    },
  );

  it("takes a pack that builds on what is here already", async () => {
    const { remote } = await startWithBase();
    const mirror = await openMirror(remote, { withGit });
    const { commit } = await commitDeep(remote);
    await mirror.refresh();
    const next = await commitOnRemote(remote, BASE, "projects/p/team/deep/c.md", "c\n");
    await mirror.refresh();
    expect(await mirror.readCommit(await baseOf(mirror))).toMatchObject({ id: next, parents: [commit] });
  });

  it("keeps the last good base where the remote itself has lost an object", async () => {
    const { remote, first } = await startWithBase();
    const mirror = await openMirror(remote, { withGit });
    const { blob } = await commitDeep(remote);
    await rm(join(remote.gitDir, "objects", blob.slice(0, 2), blob.slice(2)));
    await expect(mirror.refresh()).rejects.toMatchObject({ code: expect.stringMatching(/^remote_/) });
    expect(await baseOf(mirror)).toBe(first);
  });
});
