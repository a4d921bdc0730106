import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { toPktLine } from "../../../server/git/pkt-line.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { assertSound, git, gitEnvironment } from "../../support/git.ts";
import { run } from "../../support/run.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { BASE, baseOf, commitTexts, openFresh, serveOverHttp, theGit } from "./support.ts";

async function serveFresh(options: Partial<Parameters<typeof serveOverHttp>[0]> = {}) {
  const binary = await theGit();
  const repository = await openFresh(binary);
  const http = await serveOverHttp({ binary, gitDir: repository.gitDir, ...options });
  return { ...http, binary, repository };
}

async function cloneOf(url: string): Promise<string> {
  const home = await tempDir();
  await git(home, ["clone", "-q", url, "clone"]);
  return join(home, "clone");
}

async function commitFile(clone: string, path: string, bytes: string | Buffer): Promise<void> {
  await mkdir(join(clone, path, ".."), { recursive: true });
  await writeFile(join(clone, path), bytes);
  await git(clone, ["add", "-A"]);
  await git(clone, ["commit", "-q", "-m", `write ${path}`]);
}

/** Exit code and what the person sees. */
async function push(clone: string, ...args: string[]) {
  const { code, stderr } = await run("git", ["push", ...args], { cwd: clone, env: gitEnvironment(clone) });
  return { code, stderr };
}

describe("serveGitRequest", () => {
  it("serves a clone and a push that git and the port both see", async () => {
    const { url, repository } = await serveFresh();
    const clone = await cloneOf(url);
    await commitFile(clone, "projects/example/team/a.md", "a memory\n");
    expect(await push(clone, "origin", "main")).toMatchObject({ code: 0 });
    expect(await baseOf(repository)).toBe(await git(clone, ["rev-parse", "HEAD"]));
    await assertSound(repository.gitDir);
  });

  it("tells of the push before the client hears of it", async () => {
    let toldAt = 0;
    const { url } = await serveFresh({
      onUpdated: async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        toldAt = Date.now();
      },
    });
    const clone = await cloneOf(url);
    await commitFile(clone, "a.md", "a\n");
    await push(clone, "origin", "main");
    expect(toldAt).toBeGreaterThan(0);
    expect(toldAt).toBeLessThanOrEqual(Date.now());
  });

  it("hands the commands to the policy and shows its words to whoever pushed", async () => {
    const asked: unknown[] = [];
    const { url, repository } = await serveFresh({
      allowUpdate: (commands) => {
        asked.push(...commands);
        return "reviewers only";
      },
    });
    const before = await baseOf(repository);
    const clone = await cloneOf(url);
    await commitFile(clone, "a.md", "a\n");
    const { code, stderr } = await push(clone, "origin", "main");
    expect(code).toBe(1);
    expect(stderr).toContain("! [remote rejected] main -> main (reviewers only)");
    expect(asked).toEqual([{ ref: BASE, old: before, new: await git(clone, ["rev-parse", "HEAD"]) }]);
    expect(await baseOf(repository)).toBe(before);
  });

  it("shows the words after a pack of several megabytes too, which the client sends in chunks", async () => {
    const { url } = await serveFresh({ allowUpdate: () => "not today" });
    const clone = await cloneOf(url);
    await commitFile(clone, "large.bin", randomBytes(6_000_000));
    expect((await push(clone, "origin", "main")).stderr).toContain("(not today)");
  });

  it("takes a pack of several megabytes", async () => {
    const { url, repository } = await serveFresh();
    const clone = await cloneOf(url);
    await commitFile(clone, "large.bin", randomBytes(6_000_000));
    expect(await push(clone, "origin", "main")).toMatchObject({ code: 0 });
    await assertSound(repository.gitDir);
  });

  it("creates and deletes branches", async () => {
    const { url, repository } = await serveFresh();
    const clone = await cloneOf(url);
    const branch = "team-memory/01HZZZZZZZZZZZZZZZZZZZZZZZ";
    await push(clone, "origin", `HEAD:refs/heads/${branch}`);
    expect(await repository.readRef(`refs/heads/${branch}`)).not.toBeNull();
    await push(clone, "origin", `:refs/heads/${branch}`);
    expect(await repository.readRef(`refs/heads/${branch}`)).toBeNull();
  });

  it("refuses a push that is not a fast-forward, forced or not", async () => {
    const { url, repository } = await serveFresh();
    const clone = await cloneOf(url);
    await commitFile(clone, "a.md", "a\n");
    await push(clone, "origin", "main");
    await git(clone, ["commit", "-q", "--amend", "-m", "rewritten"]);
    const { code, stderr } = await push(clone, "--force", "origin", "main");
    expect(code).toBe(1);
    expect(stderr).toContain("non-fast-forward");
    expect(await baseOf(repository)).not.toBe(await git(clone, ["rev-parse", "HEAD"]));
  });

  it("neither shows nor takes our own state", async () => {
    const { url, repository } = await serveFresh();
    const state = "refs/team-memory/state";
    const secret = await commitTexts(repository, await baseOf(repository), { "people.json": "secret" });
    await repository.publish([{ ref: state, expectedOld: null, new: secret }]);
    const clone = await cloneOf(url);
    expect(await git(clone, ["ls-remote", "origin"])).not.toContain("team-memory/state");
    expect((await push(clone, "origin", `HEAD:${state}`)).code).toBe(1);
    expect((await push(clone, "origin", `:${state}`)).code).toBe(1);
    expect(await repository.readRef(state)).toBe(secret);
  });

  it("answers anything but the smart protocol with words in plain text", async () => {
    const { url, served } = await serveFresh();
    const answer = await fetch(`${url}/objects/info/packs`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toMatch(/^could not /);
    expect((await fetch(`${url}/git-upload-pack`, { method: "POST" })).status).toBe(415);
    expect(served.map(({ failure }) => failure?.code)).toEqual(["not_found", "unsupported_media_type"]);
  });

  it.each([
    ["no pkt-line", Buffer.from("hello there"), 400],
    ["a gzip bomb behind its commands", gzipSync(bomb()), 413],
    ["a body that says gzip and is not", Buffer.from("not gzip"), 400],
  ])("answers a push of %s with an error and lives on", async (name, body, status) => {
    const { url, repository } = await serveFresh({ allowUpdate: () => "no" });
    const headers = {
      "content-type": "application/x-git-receive-pack-request",
      ...(name.includes("gzip") ? { "content-encoding": "gzip" } : {}),
    };
    const answer = await fetch(`${url}/git-receive-pack`, { method: "POST", body: new Uint8Array(body), headers });
    expect(answer.status).toBe(status);
    await cloneOf(url);
    await assertSound(repository.gitDir);
  });

  it("takes gzip, which git uses for long fetch requests", async () => {
    const { url, repository } = await serveFresh();
    const want = `0032want ${await baseOf(repository)}\n00000009done\n`;
    const answer = await fetch(`${url}/git-upload-pack`, {
      method: "POST",
      body: new Uint8Array(gzipSync(want)),
      headers: { "content-type": "application/x-git-upload-pack-request", "content-encoding": "gzip" },
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("PACK");
  });

  it("speaks protocol version 2 where the client asks for it", async () => {
    const { url } = await serveFresh();
    const v2 = await fetch(`${url}/info/refs?service=git-upload-pack`, { headers: { "git-protocol": "version=2" } });
    expect(await v2.text()).toContain("version 2");
    const other = await fetch(`${url}/info/refs?service=git-upload-pack`, {
      headers: { "git-protocol": "version=2:x" },
    });
    expect(await other.text()).not.toContain("version 2");
  });

  it("ends the child when the client goes away in the middle of a push", async () => {
    const { url, served, repository } = await serveFresh();
    const sending = request(`${url}/git-receive-pack`, {
      method: "POST",
      headers: { "content-type": "application/x-git-receive-pack-request" },
    });
    sending.on("error", () => {});
    sending.write(Buffer.concat([command("refs/heads/x"), Buffer.from("0000PACK")]));
    await new Promise((resolve) => setTimeout(resolve, 300));
    sending.destroy();
    await expect.poll(() => served.length).toBe(1);
    expect(served[0]?.failure?.code).toBe("unavailable");
    expect(await repository.readRef("refs/heads/x")).toBeNull();
  });

  it("answers that it is busy when enough children run, and serves again afterwards", async () => {
    const { url, served } = await serveFresh();
    const stalled = Array.from({ length: LIMITS.gitChildrenMax }, () => {
      const sending = request(`${url}/git-upload-pack`, {
        method: "POST",
        agent: false,
        headers: { "content-type": "application/x-git-upload-pack-request" },
      });
      sending.on("error", () => {});
      sending.write("0032want");
      return sending;
    });
    await expect
      .poll(async () => (await fetch(`${url}/info/refs?service=git-upload-pack`)).status, { timeout: 5_000 })
      .toBe(503);
    for (const sending of stalled) sending.destroy();
    await expect.poll(() => served.length, { timeout: 5_000 }).toBeGreaterThan(LIMITS.gitChildrenMax);
    await cloneOf(url);
  });
});

function command(ref: string): Buffer {
  return toPktLine(`${"0".repeat(40)} ${"1".repeat(40)} ${ref}\0 report-status\n`);
}

function bomb(): Buffer {
  return Buffer.concat([command("refs/heads/x"), Buffer.from("0000"), Buffer.alloc(LIMITS.gitPushSizeBytesMax)]);
}
