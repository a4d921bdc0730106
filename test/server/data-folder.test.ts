import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lockDataFolder, readRunningUrl } from "../../server/data-folder.ts";
import { OWN_LOCK_TEXT } from "../../server/git/lock-owner.ts";
import { tempDir } from "../support/temp-dir.ts";

const URL_OF_FIRST = "http://127.0.0.1:1";

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
    { name: "a write cut short", text: async () => OWN_LOCK_TEXT.slice(0, 20), silent: true },
    { name: "an empty file", text: async () => "", silent: true },
    { name: "another machine that has fallen silent", text: async () => textOf({ space: "elsewhere" }), silent: true },
  ])("takes over the lock of $name", async ({ text, silent = false }) => {
    const folder = await tempDir();
    await (await lockDataFolder(folder, URL_OF_FIRST)).release();
    const path = join(folder, "serve-lock", "1");
    await writeFile(path, await text());
    if (silent) await utimes(path, new Date(0), new Date(0));
    await lockDataFolder(folder, "http://127.0.0.1:2");
    expect(await readRunningUrl(folder)).toBe("http://127.0.0.1:2");
  });

  it("believes another machine that was heard of a moment ago", async () => {
    const folder = await tempDir();
    await (await lockDataFolder(folder, URL_OF_FIRST)).release();
    await writeFile(join(folder, "serve-lock", "1"), textOf({ space: "elsewhere" }));
    await expect(lockDataFolder(folder, "http://127.0.0.1:2")).rejects.toMatchObject({ code: "data_folder_busy" });
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

/** Our own lock text with parts of it changed. */
function textOf(changes: object): string {
  const brace = OWN_LOCK_TEXT.indexOf("{");
  const owner = JSON.parse(OWN_LOCK_TEXT.slice(brace)) as object;
  return `${OWN_LOCK_TEXT.slice(0, brace)}${JSON.stringify({ ...owner, ...changes })}\n`;
}

async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid ?? 0;
}
