import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ulid } from "ulid";
import { describe, expect, it, onTestFinished } from "vitest";
import { LIMITS } from "../../shared/limits.ts";
import { git, gitEnvironment } from "../support/git.ts";
import { memoryText } from "../support/memory-text.ts";
import { tempDir } from "../support/temp-dir.ts";

const MAIN = fileURLToPath(new URL("../../dist/server/main.js", import.meta.url));
const PROJECT = "/v1/projects/github.com~acme~shop";

describe("a stop", () => {
  it.each([
    { remote: "an embedded repository", signal: "SIGTERM" },
    { remote: "an embedded repository", signal: "SIGINT" },
    { remote: "a remote", signal: "SIGTERM" },
    { remote: "a remote", signal: "SIGINT" },
  ] as const)("by $signal on $remote is calm, with requests, waiting clients and gits under way", async (of) => {
    const service = await startInGroup(of.remote === "a remote" ? await makeRemote() : []);
    const { status } = await service.propose();
    expect(status).toBe(201);
    const waiting = service.get(`${PROJECT}/head?wait=25`, { "if-none-match": await service.etag() });
    const proposing = [service.propose(), service.propose()];
    await new Promise((resolve) => setTimeout(resolve, 500));
    const printedBefore = service.printed().length;
    const startedAt = performance.now();
    const code = await service.stopGroup(of.signal);
    const said = service.printed().slice(printedBefore);
    expect([code, said.match(/"level":(?!30)\d+.*/g)]).toEqual([0, null]);
    expect(performance.now() - startedAt).toBeLessThan(LIMITS.shutdownTimeoutMs);
    expect((await waiting).status).toBe(304);
    // What a terminal's signal reaches is pushed or not, and said so: its person sends it again.
    for (const { status: answer } of await Promise.all(proposing)) expect([201, 503]).toContain(answer);
  });
});

/** A remote on this disk, and a git that takes its time with it: the signal comes while it runs. */
async function makeRemote(): Promise<readonly string[]> {
  const folder = await tempDir();
  await git(folder, ["init", "-q", "--bare", join(folder, "memory.git")]);
  const slow = join(folder, "git");
  const real = (await git(folder, ["--exec-path"])).concat("/git");
  await writeFile(slow, `#!/bin/sh\ncase "$*" in *ls-remote*|*push*) sleep 0.4;; esac\nexec ${real} "$@"\n`);
  await chmod(slow, 0o755);
  return ["--remote", join(folder, "memory.git"), "--remote-folder", folder, "--git", slow];
}

/** A service in a process group of its own, as a terminal has it: the signal reaches all of the group. */
async function startInGroup(args: readonly string[]) {
  const data = join(await tempDir(), "data");
  const words = [MAIN, "serve", "--data", data, "--port", "0", ...args];
  const child = spawn(process.execPath, words, { env: gitEnvironment(data), stdio: "pipe", detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  while (!printed.includes("#") && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
  const url = / is at (\S+),/.exec(printed)?.[1] ?? "";
  const headers = { authorization: `Bearer ${(await readFile(join(data, "admin-token"), "utf8")).trim()}` };
  const get = (path: string, more = {}) => fetch(`${url}${path}`, { headers: { ...headers, ...more } });
  return {
    get,
    etag: async () => (await get(`${PROJECT}/head`)).headers.get("etag") ?? "",
    propose: () => {
      const id = ulid();
      const changes = [{ key: `project_${id.toLowerCase()}.md`, baseBlob: null, text: memoryText(`Memory ${id}`) }];
      const init = { method: "PUT", headers: { ...headers, "content-type": "application/json" } };
      return fetch(`${url}${PROJECT}/proposals/${id}`, { ...init, body: JSON.stringify({ seq: 1, changes }) });
    },
    printed: () => printed,
    stopGroup: async (signal: NodeJS.Signals) => {
      const ended = once(child, "exit");
      process.kill(-(child.pid ?? 0), signal);
      return (await ended)[0];
    },
  };
}
