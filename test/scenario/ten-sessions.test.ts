import { spawnSync } from "node:child_process";
import { watch } from "node:fs";
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
    const stateFolder = await findStateFolder(home);
    const { title, results } = await startUntilAllBeganInTime(async (attempt) => {
      const title = `Merged just before ${attempt}`;
      await pushMemories(rita, PROJECT, { "project_new.md": memoryText(title) });
      proxy.asked.length = 0;
      return { title, ...(await startBehindLock(home, stateFolder)) };
    });
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 0));
    expect(proxy.asked).toEqual([MEMORIES]);
    const indexes = results.map(({ stdout }) => readIndex(stdout));
    expect(indexes[0]).toContain(title);
    expect(new Set(indexes).size).toBe(1);
  });

  it("clear a dead run's lock once, and one of them says so", async () => {
    const { home } = await joinThroughProxy();
    await holdLock(await findStateFolder(home), spawnSync(process.execPath, ["-e", "0"]).pid);
    const results = await startAll(home, ["pull"]);
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 0));
    expect(results.filter(({ stderr }) => stderr.includes("Cleared the lock of a run that had died"))).toHaveLength(1);
  });
});

const HOOK = ["hook", "session-start"];

/** Each session has two seconds from its own beginning; the first must have enough of them left for the pull. */
const ALL_WAIT_WITHIN_MS = 1_000;
const ATTEMPTS = 10;

interface Sessions {
  readonly inTime: boolean;
  readonly results: readonly RunResult[];
}

/** A busy machine may need longer than that to start ten processes: what is judged is the first time that it did not. */
async function startUntilAllBeganInTime<T extends Sessions>(start: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const sessions = await start(attempt);
    if (sessions.inTime || attempt === ATTEMPTS) return sessions;
  }
}

/** Ten sessions, none of which can ask before all have begun. */
async function startBehindLock(home: Home, stateFolder: string): Promise<Sessions> {
  const lock = await holdLock(stateFolder, process.pid);
  const startedAt = performance.now();
  const allWait = seeWaiting(stateFolder);
  const starting = startAll(home, HOOK);
  await Promise.race([allWait, starting]);
  const inTime = performance.now() - startedAt < ALL_WAIT_WITHIN_MS;
  await rm(lock);
  return { inTime, results: await starting };
}

function startAll({ clone: cwd, env }: Home, args: readonly string[]): Promise<RunResult[]> {
  const start = () => run(process.execPath, [CLIENT_BUNDLE, ...args], { cwd, env, input: hookInput(cwd) });
  return Promise.all(Array.from({ length: SESSIONS }, start));
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

/** What stands in the fence: all but how old the copy is, and what is new. */
function readIndex(stdout: string): string {
  const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } };
  return hookSpecificOutput.additionalContext
    .split("\n")
    .filter((line) => line.startsWith("- ["))
    .join("\n");
}

async function findStateFolder(home: Home): Promise<string> {
  const { stdout } = await home.client("attic", "list", "--json");
  return dirname((JSON.parse(stdout) as { folder: string }).folder);
}

/** A lock as a run of that process holds it. */
async function holdLock(stateFolder: string, pid: number): Promise<string> {
  const lock = join(stateFolder, "lock");
  await writeFile(lock, JSON.stringify({ pid, host: hostname(), startedAt: null, nonce: 1 }));
  return lock;
}

/** Each that tries to take the lock does so by a file of its own. */
function seeWaiting(stateFolder: string): Promise<void> {
  const waiting = new Set<string>();
  return new Promise((resolve) => {
    const watcher = watch(stateFolder, (_event, name) => {
      if (name !== null && /^lock\.\d+-\d+$/.test(name)) waiting.add(name);
      if (waiting.size === SESSIONS) resolve();
    });
    onTestFinished(() => watcher.close());
  });
}
