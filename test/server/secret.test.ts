import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSecret } from "../../server/secret.ts";
import { tempDir } from "../support/temp-dir.ts";

describe("openSecret", () => {
  it("uses the configured secret and writes nothing", async () => {
    const dataFolder = await tempDir();
    expect(await openSecret({ dataFolder, secret: "configured" })).toBe("configured");
    await expect(stat(join(dataFolder, "secret"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("makes one once, for its owner's eyes, and agrees with all who start at once", async () => {
    const dataFolder = join(await tempDir(), "data");
    const secrets = await Promise.all(Array.from({ length: 8 }, () => openSecret({ dataFolder, secret: null })));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
    expect((await readFile(join(dataFolder, "secret"), "utf8")).trim()).toBe(secrets[0]);
    expect((await stat(join(dataFolder, "secret"))).mode & 0o777).toBe(0o600);
  });

  it("refuses one that is cut short", async () => {
    const dataFolder = await tempDir();
    await writeFile(join(dataFolder, "secret"), "abc\n");
    await expect(openSecret({ dataFolder, secret: null })).rejects.toMatchObject({ code: "config_invalid" });
  });
});
