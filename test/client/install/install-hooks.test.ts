import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { toClientEnvironment } from "../../../client/config.ts";
import { buildHookEntries } from "../../../client/install/hook-entries.ts";
import { assertHooksInstallable, installHooks } from "../../../client/install/install-hooks.ts";
import { installRecordPath, readHookRecords } from "../../../client/install/install-record.ts";
import { removeHooks } from "../../../client/install/remove-hooks.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { machineAt } from "../memory/support.ts";

const entriesOf = (node: string) => buildHookEntries({ platform: "linux", node, client: "/d/team-memory.cjs" });
const ENTRIES = entriesOf("/usr/bin/node");
/** Blanks in the empty object, a number's spelling, no final newline: what rewriting from values would lose. */
const SETTINGS = '{\n\t"model": "opus",\r\n\t"n": 1.0,\n\t"hooks": { }\n}';

async function userWith(settings?: string) {
  const { env, home } = machineAt(await tempDir());
  const folder = join(home, ".claude");
  const file = join(folder, "settings.json");
  if (settings !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(file, settings);
  }
  return { env, home, folder, file };
}

const hooksOf = async (file: string) => JSON.parse(await readFile(file, "utf8")).hooks;

describe("installHooks and removeHooks", () => {
  it("adds the entries beside a backup, and brings back the file byte for byte", async () => {
    const { env, folder, file } = await userWith(SETTINGS);
    await chmod(file, 0o640);
    const backup = `${file}.team-memory-backup`;
    expect(await installHooks(env, ENTRIES)).toEqual({ settingsFile: file, isChanged: true, backup });
    expect(await hooksOf(file)).toEqual(ENTRIES);
    expect(await readFile(backup, "utf8")).toBe(SETTINGS);
    expect((await readdir(folder)).sort()).toEqual(["settings.json", "settings.json.team-memory-backup"]);
    for (const path of [file, backup]) expect((await stat(path)).mode & 0o777).toBe(0o640);

    expect(await removeHooks(env)).toEqual({ settingsFiles: [file], failed: [] });
    expect(await readFile(file, "utf8")).toBe(SETTINGS);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readdir(folder)).toEqual(["settings.json"]);
    await expect(lstat(installRecordPath(env))).rejects.toThrow();
  });

  it("makes file and folder where they are missing, and takes both away again", async () => {
    const { env, home, file } = await userWith();
    await mkdir(home);
    expect(await installHooks(env, ENTRIES)).toEqual({ settingsFile: file, isChanged: true, backup: null });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await removeHooks(env);
    expect(await readdir(home)).toEqual([".local"]);
  });

  it("changes nothing the second time, nor does a second removal", async () => {
    const { env, file } = await userWith(SETTINGS);
    await installHooks(env, ENTRIES);
    const { mtimeMs } = await stat(file);
    expect(await installHooks(env, ENTRIES)).toMatchObject({ isChanged: false });
    expect((await stat(file)).mtimeMs).toBe(mtimeMs);
    await removeHooks(env);
    expect(await removeHooks(env)).toEqual({ settingsFiles: [], failed: [] });
    expect(await readFile(file, "utf8")).toBe(SETTINGS);
  });

  it("puts another node's path in place of the old one, and still brings back the first file", async () => {
    const { env, file } = await userWith(SETTINGS);
    await installHooks(env, ENTRIES);
    await installHooks(env, entriesOf("/opt/node/bin/node"));
    expect(await hooksOf(file)).toEqual(entriesOf("/opt/node/bin/node"));
    await removeHooks(env);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(JSON.parse(SETTINGS));
  });

  it("replaces what a client that knew one event put in, and brings back the file from before that one", async () => {
    const { env, file } = await userWith(SETTINGS);
    await installHooks(env, ENTRIES);
    const earlier = { hooks: { SessionStart: entriesOf("/old/node").SessionStart }, model: "opus" };
    await writeFile(file, JSON.stringify(earlier));
    const record = JSON.parse(await readFile(installRecordPath(env), "utf8"));
    const made = { file: false, hooks: true, list: true, folder: false };
    await writeFile(installRecordPath(env), JSON.stringify({ ...record, hooks: [{ ...record.hooks[0], made }] }));
    await installHooks(env, ENTRIES);
    expect(await hooksOf(file)).toEqual(ENTRIES);
    await removeHooks(env);
    expect(await readFile(file, "utf8")).toBe('{"model":"opus"}');
  });

  it("keeps what others changed since", async () => {
    const { env, file } = await userWith(SETTINGS);
    await installHooks(env, ENTRIES);
    await writeFile(file, (await readFile(file, "utf8")).replace('"opus"', '"sonnet"'));
    await removeHooks(env);
    expect(await readFile(file, "utf8")).toBe(SETTINGS.replace('"opus"', '"sonnet"').replace("{ }", "{}"));
  });

  it("never deletes a file that it made once others have put something into it", async () => {
    const { env, file } = await userWith();
    await installHooks(env, ENTRIES);
    await writeFile(file, (await readFile(file, "utf8")).replace("{", '{"model": "opus",'));
    await installHooks(env, entriesOf("/opt/node"));
    await removeHooks(env);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ model: "opus" });
  });

  it("follows a link to the file that a user keeps elsewhere", async () => {
    const { env, home, folder, file } = await userWith();
    await mkdir(folder, { recursive: true });
    await writeFile(join(home, "dotfiles.json"), SETTINGS);
    await symlink("../dotfiles.json", file);
    await installHooks(env, ENTRIES);
    expect(await readlink(file)).toBe("../dotfiles.json");
    expect(await hooksOf(join(home, "dotfiles.json"))).toEqual(ENTRIES);
    await removeHooks(env);
    expect(await readlink(file)).toBe("../dotfiles.json");
    expect(await readFile(join(home, "dotfiles.json"), "utf8")).toBe(SETTINGS);
  });

  it("removes entries from every settings file that it ever changed", async () => {
    const { env, home, file } = await userWith(SETTINGS);
    const elsewhere = toClientEnvironment({ CLAUDE_CONFIG_DIR: join(home, "other") }, { platform: "linux", home });
    await installHooks(env, ENTRIES);
    await installHooks(elsewhere, ENTRIES);
    expect([...(await removeHooks(env)).settingsFiles].sort()).toEqual([file, join(home, "other/settings.json")]);
    expect(await readFile(file, "utf8")).toBe(SETTINGS);
    expect((await readdir(home)).sort()).toEqual([".claude", ".local"]);
  });

  it("finds its entries without a record, by their marker", async () => {
    const { env, file } = await userWith('{\n  "model": "opus"\n}\n');
    await installHooks(env, ENTRIES);
    await writeFile(installRecordPath(env), "damaged");
    await removeHooks(env);
    expect(await readFile(file, "utf8")).toBe('{\n  "model": "opus"\n}\n');
  });

  it("ends with one pair of entries where ten run at once", async () => {
    const { env, file } = await userWith(SETTINGS);
    await Promise.all(Array.from({ length: 10 }, () => installHooks(env, ENTRIES)));
    expect(await hooksOf(file)).toEqual(ENTRIES);
    expect(readHookRecords(env)).toHaveLength(1);
    await removeHooks(env);
    expect(await readFile(file, "utf8")).toBe(SETTINGS);
  });
});

describe("installHooks: settings that it leaves alone", () => {
  it.each([
    ["empty", ""],
    ["with a comment", '{} // "team-memory.cjs"'],
    ["no object", "[]"],
    ["with hooks of another shape", '{"hooks": []}'],
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["over the bound", " ".repeat(LIMITS.settingsFileSizeBytesMax + 1)],
  ])("%s", async (_, settings) => {
    const { env, folder, file } = await userWith("");
    await writeFile(file, settings);
    const refusal = expect.objectContaining({ code: expect.stringMatching(/^(settings_invalid|disk)$/) });
    await expect(assertHooksInstallable(env, ENTRIES)).rejects.toEqual(refusal);
    await expect(installHooks(env, ENTRIES)).rejects.toEqual(refusal);
    expect((await readFile(file)).equals(Buffer.from(settings))).toBe(true);
    expect(await readdir(folder)).toEqual(["settings.json"]);
    expect(readHookRecords(env)).toEqual([]);
  });

  it("names the file in the error", async () => {
    const { env, file } = await userWith("{,}");
    await expect(installHooks(env, ENTRIES)).rejects.toMatchObject({
      code: "settings_invalid",
      message: `Could not change the host's settings: they are not strict JSON: ${file}`,
      details: { file },
    });
  });

  it("removeHooks complains of settings that no longer parse only where ours are in them", async () => {
    const { env, file } = await userWith("{,}");
    expect(await removeHooks(env)).toEqual({ settingsFiles: [], failed: [] });
    await writeFile(file, `{,} ${JSON.stringify(ENTRIES)}`);
    expect(await removeHooks(env)).toMatchObject({
      settingsFiles: [],
      failed: [{ file, error: { code: "settings_invalid" } }],
    });
  });

  it("keeps a BOM", async () => {
    const { env, file } = await userWith('\uFEFF{"model":"opus"}');
    await installHooks(env, ENTRIES);
    expect(await readFile(file, "utf8")).toMatch(/^\uFEFF\{"model":"opus","hooks":/);
    await removeHooks(env);
    expect(await readFile(file, "utf8")).toBe('\uFEFF{"model":"opus"}');
  });

  it("asks nothing of a folder that is missing", async () => {
    const { env, folder } = await userWith();
    await assertHooksInstallable(env, ENTRIES);
    await expect(lstat(dirname(folder))).rejects.toThrow();
  });
});
