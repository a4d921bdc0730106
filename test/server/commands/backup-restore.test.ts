import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backup } from "../../../server/commands/backup.ts";
import { openFolder } from "../../../server/commands/open-folder.ts";
import { restore } from "../../../server/commands/restore.ts";
import { readConfig } from "../../../server/config.ts";
import type { ServerIo } from "../../../server/io.ts";
import { tempDir } from "../../support/temp-dir.ts";

const IO = { json: false, result: () => {}, err: () => {} } as unknown as ServerIo;

/** A data folder with somebody in it, and a place for backups. */
async function makeFolder() {
  const folder = await tempDir();
  const data = join(folder, "data");
  const { people } = await openFolder(readConfig({ data }, {}));
  await people.createFirstAdmin("tmk_test-token-of-the-admin");
  const out = join(folder, "out");
  await mkdir(out);
  return { folder, data, out, file: join(out, "memory.backup") };
}

function makeBackup(data: string, path: string, values = {}): Promise<number> {
  return backup({ values: { data, ...values }, positionals: [path] }, IO);
}

function restoreTo(data: string, path: string): Promise<number> {
  return restore({ values: { data }, positionals: [path] }, IO);
}

describe("backup", () => {
  it("writes one file for its owner alone, and leaves nothing beside it", async () => {
    const { data, out, file } = await makeFolder();
    expect(await makeBackup(data, file)).toBe(0);
    expect(await readdir(out)).toEqual(["memory.backup"]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(data)).filter((name) => name.startsWith("backup"))).toEqual([]);
  });

  it.each(["nowhere/memory.backup", "memory.backup/below"])("says that there is no folder for %s", async (name) => {
    const { data, out, file } = await makeFolder();
    await makeBackup(data, file);
    const path = join(out, name);
    for (const values of [{}, { force: true }])
      await expect(makeBackup(data, path, values)).rejects.toMatchObject({
        code: "not_found",
        message: `Could not write ${path}: there is no such folder`,
      });
    expect(await readdir(out)).toEqual(["memory.backup"]);
  });

  it("goes over a file only where that was asked for", async () => {
    const { data, out, file } = await makeFolder();
    await writeFile(file, "the last good one");
    await expect(makeBackup(data, file)).rejects.toMatchObject({
      code: "target_exists",
      message: `Could not write ${file}: a file is there already`,
    });
    expect(await readFile(file, "utf8")).toBe("the last good one");
    expect(await makeBackup(data, file, { force: true })).toBe(0);
    expect(await readFile(file, "utf8")).toContain("teamMemoryBackup");
    expect(await readdir(out)).toEqual(["memory.backup"]);
  });

  it("goes over no folder, and over no link without being asked", async () => {
    const { folder, data, out } = await makeFolder();
    await expect(makeBackup(data, out, { force: true })).rejects.toMatchObject({ code: "target_exists" });
    const link = join(folder, "link");
    await symlink("nowhere", link);
    await expect(makeBackup(data, link)).rejects.toMatchObject({ code: "target_exists" });
  });

  it("of two at once into one file has one winner, and the other is told", async () => {
    const { data, out, file } = await makeFolder();
    const ends = await Promise.allSettled([makeBackup(data, file), makeBackup(data, file)]);
    const refused = ends.flatMap((end) => (end.status === "rejected" ? [end.reason.code] : []));
    expect(refused).toEqual(["target_exists"]);
    expect(await readdir(out)).toEqual(["memory.backup"]);
  });

  it("keeps the folder private in which it is made, whatever the umask", async () => {
    const { data, out, file } = await makeFolder();
    const git = await slowGit();
    const making = makeBackup(data, file, { git });
    const seen: number[] = [];
    while (seen.length === 0) {
      for (const name of await readdir(out)) seen.push((await stat(join(out, name))).mode & 0o077);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await making;
    expect(seen).toEqual([0]);
  });
});

describe("restore", () => {
  it("makes a data folder with the same people, and leaves nothing beside it", async () => {
    const { folder, data, file } = await makeFolder();
    await makeBackup(data, file);
    const again = join(folder, "again");
    expect(await restoreTo(again, file)).toBe(0);
    const { people } = await openFolder(readConfig({ data: again }, {}));
    expect(await people.authenticate("tmk_test-token-of-the-admin")).not.toBeNull();
    expect((await readdir(folder)).sort()).toEqual(["again", "data", "out"]);
  });

  it.each([
    { what: "a folder with something in it", make: (path: string) => mkdir(join(path, "x"), { recursive: true }) },
    { what: "a file", make: (path: string) => writeFile(path, "x") },
  ])("refuses to go over $what", async ({ make }) => {
    const { folder, data, file } = await makeFolder();
    await makeBackup(data, file);
    const target = join(folder, "target");
    await make(target);
    await expect(restoreTo(target, file)).rejects.toMatchObject({
      code: "target_exists",
      message: expect.stringContaining(`Could not restore into ${target}: it is no`),
    });
  });

  it.each(["gone.backup", "memory.backup/below"])("says that %s is not there, and makes nothing", async (name) => {
    const { folder, data, file } = await makeFolder();
    await makeBackup(data, file);
    const path = join(folder, "out", name);
    await expect(restoreTo(join(folder, "target"), path)).rejects.toMatchObject({
      code: "not_found",
      message: `Could not read ${path}: there is no such file`,
      row: { exit: 2 },
    });
    expect((await readdir(folder)).sort()).toEqual(["data", "out"]);
  });

  it("of several at once into one folder has one winner, and the others are told", async () => {
    const { folder, data, file } = await makeFolder();
    await makeBackup(data, file);
    const target = join(folder, "target");
    const ends = await Promise.allSettled([1, 2, 3].map(() => restoreTo(target, file)));
    const refused = ends.flatMap((end) => (end.status === "rejected" ? [end.reason.code] : []));
    expect(refused).toEqual(["target_exists", "target_exists"]);
    expect((await readdir(folder)).sort()).toEqual(["data", "out", "target"]);
  });

  it.each([
    { what: "a text", make: (path: string) => writeFile(path, "no backup\n") },
    { what: "a folder", make: (path: string) => mkdir(path) },
    { what: "a pipe", make: (path: string) => once(spawn("mkfifo", [path]), "exit") },
  ])("refuses $what that is no backup, without waiting", async ({ make }) => {
    const { folder } = await makeFolder();
    const path = join(folder, "other");
    await make(path);
    const target = join(folder, "target");
    await expect(restoreTo(target, path)).rejects.toMatchObject({ code: "bad_request" });
    expect((await readdir(folder)).sort()).toEqual(["data", "other", "out"]);
  });
});

/** Git, that takes its time: what is on the disk meanwhile can be looked at. */
async function slowGit(): Promise<string> {
  const path = join(await tempDir(), "git");
  const real = spawnSync("which", ["git"], { encoding: "utf8" }).stdout.trim();
  await writeFile(path, `#!/bin/sh\ncase "$*" in *bundle*) sleep 0.2;; esac\nexec ${real} "$@"\n`);
  await chmod(path, 0o755);
  return path;
}
