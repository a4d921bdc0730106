import { chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openRemoteRepository } from "../../server/git/remote/open-remote.ts";
import type { SshFiles } from "../../server/git/remote/ssh-command.ts";
import { BASE, baseOf, commitTexts, theGit } from "../server/git/support.ts";
import { assertSound, git } from "../support/git.ts";
import { memoryText } from "../support/memory-text.ts";
import { startService } from "../support/service.ts";
import { missingForSsh, type SshHost, startSshHost } from "../support/ssh-host.ts";
import { tempDir } from "../support/temp-dir.ts";

const ID = "01HZZZZZZZZZZZZZZZZZZZZZZZ";
const BRANCH = `refs/heads/team-memory/${ID}`;

async function startRemote() {
  const gitDir = join(await tempDir(), "memory.git");
  await git(dirname(gitDir), ["init", "-q", "--bare", "-b", "main", gitDir]);
  const host = await startSshHost(onTestFinished);
  return { host, gitDir, url: `${host.address}${gitDir}` };
}

async function openMirror(url: string, ssh: SshFiles) {
  return openRemoteRepository({
    folder: join(await tempDir(), "mirror"),
    git: await theGit(),
    baseRef: BASE,
    remote: { url: { kind: "ssh", url }, token: { kind: "none" }, ssh, baseRef: BASE },
  });
}

describe.skipIf(missingForSsh !== null)(`a remote by ssh${missingForSsh === null ? "" : ` (${missingForSsh})`}`, () => {
  it("is served with a deploy key: begun, proposed to, merged, and found again by a fresh data folder", async () => {
    const { host, gitDir, url } = await startRemote();
    const flags = ["--remote-ssh-key", host.keyPath, "--remote-known-hosts", host.knownHostsPath];
    const service = await startService({
      data: join(await tempDir(), "data"),
      onEnd: onTestFinished,
      args: ["--remote", url, ...flags],
    });
    const token = (await readFile(join(service.data, "admin-token"), "utf8")).trim();
    const call = (method: string, path: string, body: unknown) =>
      fetch(`${service.url}/v1/projects/github.com~acme~shop/proposals/${ID}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const changes = [{ key: "feedback_testing.md", baseBlob: null, text: memoryText("Testing") }];
    expect((await call("PUT", "", { seq: 1, changes })).status).toBe(201);
    expect(await git(gitDir, ["rev-parse", BRANCH])).toMatch(/^[0-9a-f]{40}$/);
    expect((await call("POST", "/approve", {})).status).toBe(200);
    expect(await git(gitDir, ["ls-tree", "-r", "--name-only", BASE])).toContain("feedback_testing.md");
    await assertSound(gitDir);
    const fresh = await openMirror(url, host);
    expect(await baseOf(fresh)).toBe(await git(gitDir, ["rev-parse", BASE]));
    expect(await fresh.readRef("refs/team-memory/state")).toBe(
      await git(gitDir, ["rev-parse", "refs/team-memory/state"]),
    );
  });

  it("tells a lost race and a refusal by a hook as any other remote does", async () => {
    const { host, gitDir, url } = await startRemote();
    const [one, other] = [await openMirror(url, host), await openMirror(url, host)];
    const first = await baseOf(one);
    const next = await commitTexts(one, first, { "a.md": "a\n" });
    expect(await one.publish([{ ref: BASE, expectedOld: first, new: next }])).toEqual({ kind: "published" });
    const late = await commitTexts(other, first, { "b.md": "b\n" });
    const lost = await other.publish([{ ref: BASE, expectedOld: first, new: late }]);
    expect(lost).toEqual({ kind: "lost", ref: BASE });
    const hook = join(gitDir, "hooks", "pre-receive");
    await writeFile(hook, "#!/bin/sh\necho 'no friday deploys' >&2; exit 1\n");
    await chmod(hook, 0o755);
    const refused = one.publish([{ ref: BRANCH, expectedOld: null, new: next }]);
    await expect(refused).rejects.toMatchObject({ code: "remote_refused", message: /no friday deploys$/ });
  });

  it.each<[string, string, RegExp, (host: SshHost) => Promise<SshFiles>]>([
    [
      "whose host key nobody knows",
      "remote_host_key",
      /its host key is not known/,
      async (host) => ({ ...host, knownHostsPath: await writeBeside(host, "") }),
    ],
    [
      "whose host key has changed",
      "remote_host_key",
      /another one than is known of it \(SHA256:/,
      async (host) => {
        const other = await host.toKnownHost(await host.makeKey("earlier"));
        return { ...host, knownHostsPath: await writeBeside(host, other) };
      },
    ],
    [
      "that does not take the key",
      "remote_denied",
      /Permission denied \(publickey\)/,
      async (host) => ({ ...host, keyPath: await host.makeKey("stranger") }),
    ],
    [
      "with a key that others may read",
      "remote_denied",
      /chmod 600/,
      async (host) => {
        const keyPath = await host.makeKey("open");
        await chmod(keyPath, 0o644);
        return { ...host, keyPath };
      },
    ],
  ])("%s is refused at start, with %s", async (_, code, message, toFiles) => {
    const { host, url } = await startRemote();
    const files = await toFiles(host);
    await expect(openMirror(url, files)).rejects.toMatchObject({ code, message });
    // Whoever answered was not written down as known.
    await expect(openMirror(url, files)).rejects.toMatchObject({ code, message });
  });
});

async function writeBeside({ keyPath }: SshHost, text: string): Promise<string> {
  const path = join(dirname(keyPath), "other");
  await writeFile(path, text);
  return path;
}
