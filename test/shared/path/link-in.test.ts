import { linkSync, readdirSync, readFileSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { linkIn } from "../../../shared/path/link-in.ts";
import { tempDir } from "../../support/temp-dir.ts";

describe.each([
  { disk: "a disk with hard links", link: linkSync },
  { disk: "a disk without hard links", link: failing("EPERM") },
  { disk: "a disk whose links are used up", link: failing("EMLINK") },
])("linkIn on $disk", ({ link }) => {
  it("gives the temp its name", async () => {
    const folder = await tempDir();
    await writeFile(join(folder, "temp"), "text", { mode: 0o600 });
    expect(linkIn(join(folder, "temp"), join(folder, "b.md"), link)).toBe(true);
    expect(readdirSync(folder)).toEqual(["b.md"]);
    expect(readFileSync(join(folder, "b.md"), "utf8")).toBe("text");
  });

  it("replaces nothing", async () => {
    const folder = await tempDir();
    await writeFile(join(folder, "temp"), "text");
    await writeFile(join(folder, "b.md"), "mine");
    await symlink("/nowhere/at-all", join(folder, "c.md"));
    expect(linkIn(join(folder, "temp"), join(folder, "b.md"), link)).toBe(false);
    expect(linkIn(join(folder, "temp"), join(folder, "c.md"), link)).toBe(false);
    expect(readFileSync(join(folder, "b.md"), "utf8")).toBe("mine");
    expect(readdirSync(folder)).toEqual(["b.md", "c.md", "temp"]);
  });

  it("fails where the folder is gone", async () => {
    const folder = await tempDir();
    await writeFile(join(folder, "temp"), "text");
    expect(() => linkIn(join(folder, "temp"), join(folder, "gone/b.md"), link)).toThrow(/ENOENT/);
  });
});

describe("linkIn", () => {
  it("passes on what is neither a taken name nor a missing feature", () => {
    expect(() => linkIn("temp", "b.md", failing("EIO"))).toThrow(/EIO/);
  });
});

function failing(code: string): typeof linkSync {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}
