import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GitObject, ObjectStore } from "../../../../server/git/objects.ts";
import { rememberUnsent } from "../../../../server/git/remote/http-transport.ts";
import { toPack } from "../../../../server/git/remote/write-pack.ts";
import { LIMITS } from "../../../../shared/limits.ts";
import { git } from "../../../support/git.ts";
import { tempDir } from "../../../support/temp-dir.ts";

describe("toPack", () => {
  it("writes what git reads: objects of every length of head, and none", async () => {
    const folder = await tempDir();
    const sizes = [0, 1, 15, 16, 2047, 2048, 262_143, 262_144, 1_000_000];
    const objects = sizes.map((size): GitObject => ({ type: "blob", content: Buffer.alloc(size, "x") }));
    await writeFile(join(folder, "some.pack"), toPack(objects));
    await git(folder, ["index-pack", "some.pack"]);
    const listed = await git(folder, ["verify-pack", "-v", "some.pack"]);
    const read = [...listed.matchAll(/^[0-9a-f]{40} blob +(\d+) /gm)].map(([, size]) => Number(size));
    expect(read.sort((one, other) => one - other)).toEqual(sizes);
    await writeFile(join(folder, "none.pack"), toPack([]));
    await git(folder, ["index-pack", "none.pack"]);
  });

  it("refuses a push past the bound", () => {
    const half: GitObject = { type: "blob", content: randomBytes(LIMITS.gitPushSizeBytesMax / 2) };
    expect(() => toPack([half, half])).toThrow(/could not push more than/);
  });
});

describe("rememberUnsent", () => {
  it("forgets the oldest past its bound, and what has been sent", async () => {
    const write: ObjectStore["write"] = async (_, content) => Buffer.from(content).toString();
    const { objects, unsent } = rememberUnsent({ write } as ObjectStore);
    for (let count = 0; count < LIMITS.remoteUnsentObjectsMax; count += 1) {
      await objects.write("blob", Buffer.from(`${count}`));
    }
    expect(unsent.has("0")).toBe(true);
    await objects.write("blob", Buffer.from("one more"));
    expect([unsent.has("0"), unsent.has("1"), unsent.has("one more")]).toEqual([false, true, true]);
    unsent.drop(["1"]);
    expect(unsent.has("1")).toBe(false);
  });
});
