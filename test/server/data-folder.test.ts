import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { lockDataFolder, readRunningUrl } from "../../server/data-folder.ts";
import { OWN_LOCK_TEXT } from "../../server/git/lock-owner.ts";
import { LIMITS } from "../../shared/limits.ts";
import { tempDir } from "../support/temp-dir.ts";

const URL_OF_FIRST = "http://127.0.0.1:1";
const AHEAD = new Date(Date.now() + 24 * 60 * 60_000);

describe("lockDataFolder", () => {
  it("refuses a second holder, naming the first", async () => {
    const folder = await tempDir();
    await lockDataFolder(folder, URL_OF_FIRST);
    await expect(lockDataFolder(folder, "http://127.0.0.1:2")).rejects.toMatchObject({
      code: "data_folder_busy",
      message: expect.stringContaining(`process ${process.pid}`),
    });
    expect(await readRunningUrl(folder)).toBe(URL_OF_FIRST);
  });

  it("is free again once it was released", async () => {
    const folder = await tempDir();
    const first = await lockDataFolder(folder, URL_OF_FIRST);
    await first.release();
    expect(await readRunningUrl(folder)).toBeNull();
    await lockDataFolder(folder, "http://127.0.0.1:2");
    expect(await readRunningUrl(folder)).toBe("http://127.0.0.1:2");
  });

  it.each([
    { name: "a process that has ended", text: async () => textOf({ pid: await endedPid() }) },
    { name: "a later process that got the number", text: async () => textOf({ started: "1" }) },
    { name: "a write cut short", text: async () => OWN_LOCK_TEXT.slice(0, 20) },
    { name: "an empty file", text: async () => "" },
    { name: "garbage", text: async () => "\u0000\uffff" },
    { name: "another machine that is silent", text: async () => textOf({ space: "elsewhere" }) },
    {
      name: "another machine that is silent, its clock ahead",
      text: async () => textOf({ space: "elsewhere" }),
      at: AHEAD,
    },
  ])("takes over the lock of $name", async ({ text, at = new Date() }) => {
    const folder = await lockedBefore(await text());
    await utimes(join(folder, "serve-lock", "1"), at, at);
    await lockDataFolder(folder, "http://127.0.0.1:2", { silentMs: 30 });
    expect(await readRunningUrl(folder)).toBe("http://127.0.0.1:2");
  });

  it.each([
    { name: "behind", at: new Date(0) },
    { name: "ahead", at: AHEAD },
  ])("believes another machine that beats, though its clock is $name, and says that it waits", async ({ at }) => {
    const folder = await lockedBefore(textOf({ space: "elsewhere" }));
    const beat = (ms: number) => utimes(join(folder, "serve-lock", "1"), at, new Date(at.getTime() + ms));
    await beat(0);
    let watches = 0;
    const onWatch = () => {
      watches += 1;
      setTimeout(() => void beat(1_000), 20);
    };
    const second = lockDataFolder(folder, "http://127.0.0.1:2", { silentMs: 300, onWatch });
    await expect(second).rejects.toMatchObject({ code: "data_folder_busy" });
    expect(watches).toBe(1);
  });

  it.each([
    { name: "a folder", make: (path: string) => mkdir(join(path, "x"), { recursive: true }) },
    { name: "a pipe", make: (path: string) => once(spawn("mkfifo", [path]), "exit") },
    { name: "a link that leads nowhere", make: (path: string) => symlink("nowhere", path) },
  ])("is not held by $name in a lock's place, nor hidden by it", async ({ make }) => {
    const folder = await tempDir();
    await mkdir(join(folder, "serve-lock"));
    await make(join(folder, "serve-lock", "7"));
    const lock = await lockDataFolder(folder, URL_OF_FIRST);
    await make(join(folder, "serve-lock", "90"));
    await expect(lockDataFolder(folder, URL_OF_FIRST)).rejects.toMatchObject({ code: "data_folder_busy" });
    await lock.release();
    await lockDataFolder(folder, URL_OF_FIRST);
  });

  it.each([
    { name: "a pipe", make: (path: string) => once(spawn("mkfifo", [path]), "exit") },
    { name: "garbage", make: (path: string) => writeFile(path, "garbage") },
  ])("puts its address in the place of $name", async ({ make }) => {
    const folder = await tempDir();
    await mkdir(join(folder, "serve-lock"));
    await make(join(folder, "serve-lock", "url"));
    expect(await readRunningUrl(folder)).toBeNull();
    await lockDataFolder(folder, URL_OF_FIRST);
    expect(await readRunningUrl(folder)).toBe(URL_OF_FIRST);
    await rm(join(folder, "serve-lock", "url"));
    await make(join(folder, "serve-lock", "url"));
    expect(await readRunningUrl(folder)).toBeNull();
  });

  it.each([
    { name: "a file in place of the locks' folder", path: "serve-lock", make: (path: string) => writeFile(path, "") },
    {
      name: "a folder in place of the address",
      path: "serve-lock/url",
      make: (path: string) => mkdir(path, { recursive: true }),
    },
  ])("names the path of $name", async ({ path, make }) => {
    const folder = await tempDir();
    await make(join(folder, path));
    await expect(lockDataFolder(folder, URL_OF_FIRST)).rejects.toMatchObject({
      code: "disk",
      details: { path: join(folder, path) },
    });
  });

  it("tells a holder that was silent for too long, and only that one, that another has the folder", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = await tempDir();
    const path = join(folder, "serve-lock", "1");
    const lost = vi.fn();
    await lockDataFolder(folder, URL_OF_FIRST, { onLost: lost });
    const beat = async () => {
      vi.advanceTimersByTime(LIMITS.lockHeartbeatMs);
      await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await rm(path);
    await beat();
    expect((await stat(path)).isFile()).toBe(true);
    expect(lost).not.toHaveBeenCalled();
    await rm(path);
    await writeFile(join(folder, "serve-lock", "2"), textOf({ pid: process.ppid, started: startedOf(process.ppid) }));
    await beat();
    await beat();
    expect(lost).toHaveBeenCalledTimes(1);
  });

  it("has one winner of many who take over a dead holder's at once", async () => {
    const folder = await tempDir();
    await (await lockDataFolder(folder, URL_OF_FIRST)).release();
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) => lockDataFolder(folder, `http://${at}`)),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await readdir(join(folder, "serve-lock"))).filter((name) => /^\d+$/.test(name))).toHaveLength(1);
  });

  it("keeps its files from other users", async () => {
    const folder = await tempDir();
    await lockDataFolder(folder, URL_OF_FIRST);
    const lock = join(folder, "serve-lock");
    expect((await stat(lock)).mode & 0o077).toBe(0);
    for (const name of await readdir(lock)) expect((await stat(join(lock, name))).mode & 0o077).toBe(0);
  });
});

/** A folder whose first lock, left by somebody, has this text. */
async function lockedBefore(text: string): Promise<string> {
  const folder = await tempDir();
  await (await lockDataFolder(folder, URL_OF_FIRST)).release();
  await writeFile(join(folder, "serve-lock", "1"), text);
  return folder;
}

/** Our own lock text with parts of it changed. */
function textOf(changes: object): string {
  const brace = OWN_LOCK_TEXT.indexOf("{");
  const owner = JSON.parse(OWN_LOCK_TEXT.slice(brace)) as object;
  return `${OWN_LOCK_TEXT.slice(0, brace)}${JSON.stringify({ ...owner, ...changes })}\n`;
}

function startedOf(pid: number): string {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid ?? 0;
}
