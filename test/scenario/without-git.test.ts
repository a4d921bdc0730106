import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { commitOnRemote, type RemoteServer, refOnRemote, startRemote, TOKEN } from "../server/git/remote/support.ts";
import { BASE } from "../server/git/support.ts";
import { assertSound, git } from "../support/git.ts";
import { memoryText } from "../support/memory-text.ts";
import { type RunningService, startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const MAIN = fileURLToPath(new URL("../../dist/server/main.js", import.meta.url));
const PROJECT = "/v1/projects/github.com~acme~shop";
const FOLDER = "projects/github.com/acme/shop/team";
const ID = "01HZZZZZZZZZZZZZZZZZZZZZZZ";

/** The service on a machine that has nothing but Node. */
async function serve(remote: RemoteServer, data: string): Promise<RunningService> {
  const folder = await tempDir();
  const command = join(folder, "serve-without-git");
  await writeFile(command, `#!/bin/sh\nPATH=${folder}\nexport PATH\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  await chmod(command, 0o755);
  const token = join(folder, "token");
  await writeFile(token, TOKEN);
  const args = ["--remote", remote.url, "--remote-token-file", token];
  return startService({ data, onEnd: onTestFinished, args, command });
}

async function call({ url, data }: RunningService, method: string, path: string, body?: unknown) {
  const token = (await readFile(join(data, "admin-token"), "utf8")).trim();
  const headers = { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) };
  return fetch(`${url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

async function readKeys(service: RunningService): Promise<readonly string[]> {
  const answer = await call(service, "GET", `${PROJECT}/memories`);
  const { upserts } = (await answer.json()) as { upserts: readonly { key: string }[] };
  return upserts.map(({ key }) => key).sort();
}

it("a service without git on an http remote proposes, merges, follows what people push, and starts again", async () => {
  const remote = await startRemote();
  await commitOnRemote(remote, BASE, `${FOLDER}/first.md`, memoryText("First"));
  const data = join(await tempDir(), "data");
  const service = await serve(remote, data);
  expect(await readKeys(service)).toEqual(["first.md"]);

  const changes = [{ key: "second.md", baseBlob: null, text: memoryText("Second") }];
  expect((await call(service, "PUT", `${PROJECT}/proposals/${ID}`, { seq: 1, changes })).status).toBe(201);
  expect(await refOnRemote(remote, `refs/heads/team-memory/${ID}`)).not.toBeNull();
  expect((await call(service, "POST", `${PROJECT}/proposals/${ID}/approve`, {})).status).toBe(200);
  expect(await git(remote.gitDir, ["ls-tree", "-r", "--name-only", BASE])).toContain("second.md");
  await assertSound(remote.gitDir);

  await service.stop();
  await commitOnRemote(remote, BASE, `${FOLDER}/third.md`, memoryText("Third"));
  // With deltas, as a remote with some history sends it.
  await git(remote.gitDir, ["gc", "-q"]);
  const again = await serve(remote, data);
  const fresh = await serve(remote, join(await freshData(data), "data"));
  const three = ["first.md", "second.md", "third.md"];
  expect([await readKeys(again), await readKeys(fresh)]).toEqual([three, three]);
  expect((await call(again, "GET", "/git/memory.git/info/refs?service=git-upload-pack")).status).not.toBe(200);
});

/** Another machine's folder: the secret and the admin's token are what an operator brings along. */
async function freshData(data: string): Promise<string> {
  const folder = await tempDir();
  await mkdir(join(folder, "data"));
  for (const name of ["secret", "admin-token"]) {
    await writeFile(join(folder, "data", name), await readFile(join(data, name)), { mode: 0o600 });
  }
  return folder;
}
