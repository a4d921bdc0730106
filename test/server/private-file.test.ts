import { readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPrivateFile, sweepPrivateTemps } from "../../server/private-file.ts";
import { LIMITS } from "../../shared/limits.ts";
import { tempDir } from "../support/temp-dir.ts";

const OLD = LIMITS.gitUnfinishedAgeMs + 60_000;
const YOUNG = LIMITS.gitUnfinishedAgeMs - 60_000;

describe("createPrivateFile", () => {
  it("has one winner of many, whose text is whole and nobody else's to read", async () => {
    const folder = await tempDir();
    const path = join(folder, "made", "secret");
    const won = await Promise.all(Array.from({ length: 20 }, (_, at) => createPrivateFile(path, `${at}`)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await readdir(join(folder, "made"))).toEqual(["secret"]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

describe("sweepPrivateTemps", () => {
  it.each([
    ["secret.0123456789abcdef.tmp", OLD, true],
    ["secret.0123456789abcdef.tmp", YOUNG, false],
    ["secret.tmp", OLD, false],
    ["secret", OLD, false],
  ])("%s, %d ms old, goes: %s", async (name, ageMs, goes) => {
    const folder = await tempDir();
    const path = join(folder, name);
    await writeFile(path, "x");
    const at = new Date(Date.now() - ageMs);
    await utimes(path, at, at);
    expect(await sweepPrivateTemps(folder)).toEqual(goes ? [path] : []);
    expect(await readdir(folder)).toHaveLength(goes ? 0 : 1);
  });
});
