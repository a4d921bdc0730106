import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { withLock } from "../../../../client/sync/lock/lock.ts";
import { LIMITS } from "../../../../shared/limits.ts";
import { memoryText } from "../../../support/memory-text.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { startStubService } from "../../stub-service.ts";
import { makeDesk } from "../support.ts";

const HERE = hostname();
const isLinux = process.platform === "linux";
/** What Linux says of the process table that this process is in. */
const SEEN = isLinux
  ? { boot: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), pids: readlinkSync("/proc/self/ns/pid") }
  : {};

describe("withLock", () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = join(await tempDir(), "state");
    path = join(folder, "lock");
  });

  it("lets one in after the other, and leaves nothing behind", async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => withLock(folder, { waitMs: 10_000 }, work)));
    expect(most).toBe(1);
    expect(existsSync(path)).toBe(false);
  });

  it("is free again where the work throws", async () => {
    await expect(withLock(folder, { waitMs: 0 }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await withLock(folder, { waitMs: 0 }, async () => {});
  });

  const DEAD = [
    { name: "a process that has ended", holder: () => ({ pid: endedPid(), startedAt: null, host: HERE }) },
    { name: "a process whose id another has by now", holder: () => ({ pid: process.pid, startedAt: "1", host: HERE }) },
    {
      name: "a machine that has not stirred for an hour",
      holder: () => ({ pid: 1, startedAt: null, host: "elsewhere" }),
      ageMs: LIMITS.lockStaleMs + 1_000,
    },
    { name: "nobody, left half written", holder: () => null, ageMs: 11_000 },
    {
      name: "a machine whose clock ran an hour ahead",
      holder: () => ({ pid: 1, startedAt: null, host: "elsewhere" }),
      ageMs: -LIMITS.lockStaleMs - 1_000,
    },
    ...(isLinux
      ? [
          {
            name: "a process that has ended, on this machine under its former name",
            holder: () => ({ pid: endedPid(), startedAt: "1", host: "former-name", ...SEEN }),
          },
          {
            name: "a process from before this machine was started anew",
            holder: () => ({ pid: process.pid, startedAt: "1", host: HERE, ...SEEN, boot: "another" }),
          },
        ]
      : []),
  ];

  it.each(DEAD)("takes over the lock of $name, and says so once", async ({ holder, ageMs = 0 }) => {
    leave(holder(), ageMs);
    let told = 0;
    const onReplaced = () => {
      told += 1;
    };
    await withLock(folder, { waitMs: 2_000, onReplaced }, async () => {
      expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
    });
    expect(told).toBe(1);
    expect(existsSync(path)).toBe(false);
  });

  const ALIVE = [
    { name: "a process that runs", holder: () => ({ pid: runningPid(), startedAt: null, host: HERE }), ageMs: 60_000 },
    {
      name: "another machine, silent for less than an hour",
      holder: () => ({ pid: 1, startedAt: null, host: "elsewhere" }),
    },
    { name: "nobody yet, written this moment", holder: () => null },
    {
      name: "a process that runs on this machine under its former name",
      holder: () => ({ pid: runningPid(), startedAt: null, host: "former-name", ...SEEN }),
    },
    ...(isLinux
      ? [
          {
            name: "another container that goes by this one's name",
            holder: () => ({ pid: endedPid(), startedAt: "1", host: HERE, ...SEEN, pids: "pid:[1]" }),
          },
        ]
      : []),
  ];

  it.each(ALIVE)("waits for $name, bounded, and leaves its lock alone", async ({ holder, ageMs = 0 }) => {
    leave(holder(), ageMs);
    const before = readFileSync(path, "utf8");
    let waits = 0;
    const onWait = () => {
      waits += 1;
    };
    const startedAtMs = performance.now();
    const attempt = withLock(folder, { waitMs: 200, onWait }, async () => "in");
    await expect(attempt).rejects.toMatchObject({ code: "busy" });
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(200);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    expect(waits).toBe(1);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it.each([
    [
      "a pipe is nobody's lock, and is taken away as one that was left half written",
      (at: string) => execFileSync("mkfifo", [at]),
    ],
    ["a link that leads nowhere is, too", (at: string) => symlinkSync("/nowhere/at/all", at)],
  ])("%s", async (_, put) => {
    mkdirSync(folder, { recursive: true });
    put(path);
    lutimesSync(path, 0, 0);
    expect(await withLock(folder, { waitMs: 2_000 }, async () => "in")).toBe("in");
  });

  it("names a folder that lies in its place", async () => {
    mkdirSync(join(path, "full"), { recursive: true });
    utimesSync(path, 0, 0);
    const attempt = withLock(folder, { waitMs: 2_000 }, async () => "in");
    await expect(attempt).rejects.toMatchObject({ code: "disk", message: `Cannot replace the lock: ${path}` });
  });

  it("clears what killed runs had begun to write, and nothing of those that run", async () => {
    const dead = endedPid();
    const running = runningPid();
    const held = (pid: number, host = HERE) => JSON.stringify({ pid, startedAt: null, host, nonce: 7 });
    const gone = {
      [`.${dead}-0.tmp`]: "half",
      [`pristine/.${dead}-1.tmp`]: "half",
      [`lock.${dead}-7`]: held(dead),
      [`lock.${dead}-8`]: "",
      "lock.replacing": held(dead),
    };
    const kept = {
      [`.${running}-0.tmp`]: "half",
      [`pristine/.${running}-1.tmp`]: "half",
      [`lock.${running}-7`]: held(running),
      [`lock.${running}-8`]: "",
      [`lock.${dead}-9`]: held(dead, "elsewhere"),
      "head.json": "{}",
      "lock.damaged": "",
    };
    mkdirSync(join(folder, "pristine"), { recursive: true });
    for (const [name, text] of Object.entries({ ...gone, ...kept })) writeFileSync(join(folder, name), text);
    await withLock(folder, { waitMs: 0 }, async () => {});
    const left = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(left.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort()).toEqual(
      Object.keys(kept).sort(),
    );
  });

  function leave(holder: object | null, ageMs: number): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, holder === null ? "" : JSON.stringify({ ...holder, nonce: 1 }));
    const at = new Date(Date.now() - ageMs);
    utimesSync(path, at, at);
  }
});

describe("pull", () => {
  it("says in its report that it has cleared a dead run's lock, once", async () => {
    const service = await startStubService({ "a.md": memoryText("A") });
    const desk = await makeDesk(service);
    mkdirSync(desk.context.stateFolder, { recursive: true });
    const holder = { pid: endedPid(), startedAt: null, host: HERE, nonce: 1 };
    writeFileSync(join(desk.context.stateFolder, "lock"), JSON.stringify(holder));
    expect((await desk.pull()).notes).toEqual(["Cleared the lock of a run that had died"]);
    expect((await desk.pull()).notes).toEqual([]);
  });
});

function endedPid(): number {
  return spawnSync(process.execPath, ["-e", "0"]).pid;
}

function runningPid(): number {
  const child = spawn("sleep", ["60"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}
