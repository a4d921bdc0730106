import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sweepLeftovers } from "../../server/sweep-leftovers.ts";
import { LIMITS } from "../../shared/limits.ts";
import { tempDir } from "../support/temp-dir.ts";

it("sweepLeftovers takes away what kills left beside a data folder, in it and among its locks, and nothing else", async () => {
  const folder = await tempDir();
  const [data, locks] = [join(folder, "data"), join(folder, "data", "serve-lock")];
  const left = [
    join(folder, ".team-memory-0123456789abcdef.unfinished"),
    join(data, "secret.0123456789abcdef.tmp"),
    join(locks, "2.0123456789abcdef.tmp"),
  ];
  await mkdir(locks, { recursive: true });
  await mkdir(left[0] ?? "");
  for (const path of [...left.slice(1), join(data, "secret"), join(locks, "1"), join(folder, "mine.tmp")])
    await writeFile(path, "x");
  const old = new Date(Date.now() - 2 * LIMITS.unfinishedFolderAgeMs);
  for (const path of left) await utimes(path, old, old);
  expect((await sweepLeftovers(data)).toSorted()).toEqual(left.toSorted());
  expect((await readdir(folder, { recursive: true })).toSorted()).toEqual([
    "data",
    "data/secret",
    "data/serve-lock",
    "data/serve-lock/1",
    "mine.tmp",
  ]);
});
