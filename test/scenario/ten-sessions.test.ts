import { rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type CountingProxy, startCountingProxy } from "../support/counting-proxy.ts";
import { CLIENT_BUNDLE, type Home, hookInput, makeHome } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { cloneMemory, joinByApi, pushMemories, type ReviewClone } from "../support/people.ts";
import { type RunResult, run } from "../support/run.ts";
import { invite, startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const SESSIONS = 10;
const PROJECT = "github.com/acme/shop";
const MEMORIES = "GET /v1/projects/github.com~acme~shop/memories";

describe("ten sessions that start at once", () => {
  it("make one request where all have begun before it, and print the same index", async () => {
    const { home, proxy, rita } = await joinThroughProxy();
    await pushMemories(rita, PROJECT, { "project_new.md": memoryText("Just merged") });
    proxy.asked.length = 0;
    const release = await holdLock(home, process.pid);
    const starting = startHooks(home);
    await new Promise((resolve) => setTimeout(resolve, BOOT_MS));
    await release();
    const results = await starting;
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 0));
    expect(proxy.asked).toEqual([MEMORIES]);
    const indexes = results.map(({ stdout }) => readIndex(stdout));
    expect(indexes[0]).toContain("Just merged");
    expect(new Set(indexes).size).toBe(1);
  });

  it("make one more for those that began after the first, where a dead run's lock is cleared, and one says so", async () => {
    const { home, proxy } = await joinThroughProxy();
    const { pid } = await deadProcess(home);
    await holdLock(home, pid);
    proxy.asked.length = 0;
    const results = await startHooks(home);
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 0));
    expect(results.filter(({ stdout }) => stdout.includes("Cleared the lock of a run that had died"))).toHaveLength(1);
    expect(proxy.asked.length).toBeGreaterThan(0);
    expect(proxy.asked.length).toBeLessThanOrEqual(2);
    expect(new Set(results.map(({ stdout }) => readIndex(stdout))).size).toBe(1);
  });
});

/** Ten processes on two cores have begun by then, and none has given up waiting. */
const BOOT_MS = 700;

function startHooks(home: Home): Promise<RunResult[]> {
  return Promise.all(Array.from({ length: SESSIONS }, () => startHook(home)));
}

interface Team {
  readonly home: Home;
  readonly proxy: CountingProxy;
  readonly rita: ReviewClone;
}

async function joinThroughProxy(): Promise<Team> {
  const service = await startService({ data: join(await tempDir(), "data"), onEnd: onTestFinished });
  const { token } = await joinByApi(service, "reviewer");
  const rita = await cloneMemory(service.url, token, onTestFinished);
  await pushMemories(rita, PROJECT, { "feedback_testing.md": memoryText("Real databases in tests") });
  const proxy = await startCountingProxy(service.url, onTestFinished);
  const home = await makeHome({ onEnd: onTestFinished });
  const link = (await invite(service, "contributor")).replace(service.url, proxy.url);
  expect(await home.client("join", link)).toMatchObject({ code: 0 });
  return { home, proxy, rita };
}

function startHook(home: Home): Promise<RunResult> {
  const args = [CLIENT_BUNDLE, "hook", "session-start"];
  return run(process.execPath, args, { cwd: home.clone, env: home.env, input: hookInput(home.clone) });
}

/** What stands in the fence: all but how old the copy is, and what is new. */
function readIndex(stdout: string): string {
  const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } };
  return hookSpecificOutput.additionalContext
    .split("\n")
    .filter((line) => line.startsWith("- ["))
    .join("\n");
}

/** A lock as a run of that process holds it; returns what gives it up. */
async function holdLock(home: Home, pid: number): Promise<() => Promise<void>> {
  const { stdout } = await home.client("attic", "list", "--json");
  const { folder } = JSON.parse(stdout) as { folder: string };
  const lock = join(dirname(folder), "lock");
  await writeFile(lock, JSON.stringify({ pid, host: hostname(), startedAt: null, nonce: 1 }));
  return () => rm(lock);
}

async function deadProcess(home: Home): Promise<{ pid: number }> {
  const { stdout } = await run(process.execPath, ["-p", "process.pid"], { cwd: home.clone, env: home.env });
  return { pid: Number(stdout) };
}
