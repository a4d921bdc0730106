import { existsSync, writeFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as immediately, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { updateFile } from "../../../client/install/update-file.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { tempDir } from "../../support/temp-dir.ts";

const OPTIONS = { mode: 0o600, folderMode: 0o700 } as const;
const append = (line: string) => (bytes: Buffer | null) => `${bytes ?? ""}${line}`;

describe("updateFile", () => {
  it("makes a file, changes it, removes it, and leaves nothing beside it", async () => {
    const folder = await tempDir();
    const path = join(folder, "deep/er/file");
    expect(await updateFile(path, OPTIONS, append("a"))).toBe(true);
    expect(await updateFile(path, OPTIONS, append("b"))).toBe(true);
    expect(await readFile(path, "utf8")).toBe("ab");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await updateFile(path, OPTIONS, (bytes) => String(bytes))).toBe(false);
    expect(await updateFile(path, OPTIONS, () => null)).toBe(true);
    expect(await updateFile(path, OPTIONS, () => null)).toBe(false);
    expect(await readdir(join(folder, "deep/er"))).toEqual([]);
  });

  it("keeps the mode where it is asked to", async () => {
    const path = join(await tempDir(), "file");
    await writeFile(path, "a");
    await chmod(path, 0o640);
    await updateFile(path, { ...OPTIONS, keepMode: true }, append("b"));
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    await updateFile(path, OPTIONS, append("b"));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("follows a link and leaves it a link", async () => {
    const folder = await tempDir();
    await mkdir(join(folder, "dotfiles"));
    await writeFile(join(folder, "dotfiles/file"), "a");
    await symlink("dotfiles/file", join(folder, "file"));
    await updateFile(join(folder, "file"), OPTIONS, append("b"));
    expect(await readlink(join(folder, "file"))).toBe("dotfiles/file");
    expect(await readFile(join(folder, "dotfiles/file"), "utf8")).toBe("ab");
  });

  it("refuses a link that leads nowhere", async () => {
    const folder = await tempDir();
    await symlink("gone", join(folder, "file"));
    await expect(updateFile(join(folder, "file"), OPTIONS, append("a"))).rejects.toMatchObject({ code: "disk" });
    expect(await readdir(folder)).toEqual(["file"]);
  });

  it("makes the change anew where another program wrote meanwhile", async () => {
    const path = join(await tempDir(), "file");
    await writeFile(path, "a");
    let calls = 0;
    await updateFile(path, OPTIONS, async (bytes) => {
      calls += 1;
      if (calls < 3) await writeFile(path, `${bytes}x`);
      return `${bytes}!`;
    });
    expect(await readFile(path, "utf8")).toBe("axx!");
  });

  it("gives up on a file that never rests, with the other's bytes in place", async () => {
    const path = join(await tempDir(), "file");
    await writeFile(path, "");
    const change = async (bytes: Buffer | null) => {
      await writeFile(path, `${bytes}x`);
      return "mine";
    };
    await expect(updateFile(path, OPTIONS, change)).rejects.toMatchObject({ code: "busy" });
    expect(await readFile(path, "utf8")).toBe("x".repeat(LIMITS.placeAttemptsMax));
  });

  it("leaves everything as it was where the change throws", async () => {
    const folder = await tempDir();
    await writeFile(join(folder, "file"), "a");
    const change = () => {
      throw new TypeError("no");
    };
    await expect(updateFile(join(folder, "file"), OPTIONS, change)).rejects.toThrow();
    expect(await readdir(folder)).toEqual(["file"]);
    expect(await readFile(join(folder, "file"), "utf8")).toBe("a");
  });

  it("waits for another's lock", async () => {
    const folder = await tempDir();
    const lock = join(folder, ".file.team-memory-lock");
    await writeFile(lock, "half");
    const update = updateFile(join(folder, "file"), OPTIONS, append("a"));
    await sleep(LIMITS.settingsLockRetryMs * 3);
    expect(await readdir(folder)).toEqual([".file.team-memory-lock"]);
    await rm(lock);
    expect(await update).toBe(true);
  });

  it("leaves alone the lock that the next one takes as soon as its name is free", async () => {
    const folder = await tempDir();
    const lock = join(folder, ".file.team-memory-lock");
    const taken = updateFile(join(folder, "file"), OPTIONS, append("a"));
    while (!existsSync(join(folder, "file"))) await immediately();
    writeFileSync(lock, "the next one's");
    await taken;
    expect(await readFile(lock, "utf8")).toBe("the next one's");
  });

  it("takes over a lock that a kill left", async () => {
    const folder = await tempDir();
    const lock = join(folder, ".file.team-memory-lock");
    await writeFile(lock, "half");
    const old = Date.now() / 1_000 - LIMITS.settingsLockStaleMs / 1_000 - 1;
    await utimes(lock, old, old);
    await updateFile(join(folder, "file"), OPTIONS, append("a"));
    expect(await readFile(join(folder, "file"), "utf8")).toBe("a");
  });

  it("refuses a file over its bound", async () => {
    const path = join(await tempDir(), "file");
    await writeFile(path, "x".repeat(LIMITS.settingsFileSizeBytesMax + 1));
    await expect(updateFile(path, OPTIONS, append("a"))).rejects.toMatchObject({ code: "disk" });
  });
});
