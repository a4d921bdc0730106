import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  commitOnRemote,
  type RemoteServer,
  refOnRemote,
  startRemote,
  TOKEN,
  writeHook,
} from "../server/git/remote/support.ts";
import { BASE } from "../server/git/support.ts";
import { assertSound, git } from "../support/git.ts";
import { memoryText } from "../support/memory-text.ts";
import { type RunningService, startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROPOSALS = "/v1/projects/github.com~acme~shop/proposals";
const ID = "01HZZZZZZZZZZZZZZZZZZZZZZZ";
const FOLDER = "projects/github.com/acme/shop/team";

/** Of the answers that are looked into. */
interface Body {
  readonly error: { readonly code: string; readonly message: string };
  readonly upserts: readonly { readonly key: string }[];
}

async function serveRemote(remote: RemoteServer, data: string): Promise<RunningService> {
  const tokenFile = join(await tempDir(), "token");
  await writeFile(tokenFile, `${TOKEN}\n`);
  const args = ["--remote", remote.url, "--remote-token-file", tokenFile];
  return startService({ data, onEnd: onTestFinished, args });
}

async function call(service: RunningService, method: string, path: string, body?: unknown) {
  const token = (await readFile(join(service.data, "admin-token"), "utf8")).trim();
  const headers = { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) };
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}

function propose(service: RunningService, key: string, id = ID) {
  const text = memoryText("Testing", "how we test", "feedback");
  const changes = [{ key, baseBlob: null, text }];
  return call(service, "PUT", `${PROPOSALS}/${id}`, { seq: 1, changes });
}

describe("serve --remote", () => {
  it("takes a proposal to the remote, merges it there, and knows all of it in a fresh data folder", async () => {
    const remote = await startRemote();
    const service = await serveRemote(remote, join(await tempDir(), "data"));
    expect(await refOnRemote(remote, "refs/team-memory/state")).not.toBeNull();

    const seen = watchArguments();
    expect(await propose(service, "feedback_testing.md")).toMatchObject({ status: 201 });
    expect(await refOnRemote(remote, `refs/heads/team-memory/${ID}`)).not.toBeNull();
    await commitOnRemote(remote, BASE, `${FOLDER}/by_hand.md`, memoryText("By hand", "a push of a person", "project"));
    expect(await call(service, "POST", `${PROPOSALS}/${ID}/approve`, {})).toMatchObject({ status: 200 });
    expect(await refOnRemote(remote, `refs/heads/team-memory/${ID}`)).toBeNull();
    expect(await git(remote.gitDir, ["ls-tree", "-r", "--name-only", BASE])).toContain("feedback_testing.md");
    expect((await seen.stop()).filter((line) => line.includes(TOKEN))).toEqual([]);
    expect(service.output()).not.toContain(TOKEN);
    await assertSound(remote.gitDir);
    await service.stop();

    const data = join(await tempDir(), "data");
    await writeFile(join(await mkdirOf(data), "secret"), await readFile(join(service.data, "secret")));
    const token = await readFile(join(service.data, "admin-token"));
    await writeFile(join(data, "admin-token"), token);
    const again = await serveRemote(remote, data);
    const { body } = await call(again, "GET", "/v1/projects/github.com~acme~shop/memories");
    expect(body.upserts.map(({ key }) => key).sort()).toEqual(["by_hand.md", "feedback_testing.md"]);
  });

  it("answers a refusal with the remote's words, and does not ask again", async () => {
    const remote = await startRemote();
    const service = await serveRemote(remote, join(await tempDir(), "data"));
    const hook = 'case "$1" in refs/heads/team-memory/*) echo asked >> asked; echo "no bots" >&2; exit 1;; esac';
    await writeHook(remote, "update", hook);
    const { status, body } = await propose(service, "a.md");
    expect([status, body.error.code]).toEqual([422, "remote_refused"]);
    expect(body.error.message).toContain("no bots");
    expect(await readFile(join(remote.gitDir, "asked"), "utf8")).toBe("asked\n");
  });
});

async function mkdirOf(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}

/** The arguments of every process of this machine, looked at as often as can be, as `ps` would. */
function watchArguments() {
  const seen = new Set<string>();
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) {
      for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
        seen.add(await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => ""));
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    stop: async () => {
      isWatching = false;
      await watching;
      return [...seen];
    },
  };
}
