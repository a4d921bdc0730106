import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSlugFolder, sanitizePath } from "../../../client/memory/sanitize-path.ts";
import { tempDir } from "../../support/temp-dir.ts";

const LONG = `/home/ada/${"x".repeat(200)}`;
const PREFIX = `-home-ada-${"x".repeat(190)}`;

describe("sanitizePath", () => {
  it.each([
    ["/home/ada/shop", "-home-ada-shop"],
    ["/home/ada/.dotfiles", "-home-ada--dotfiles"],
    ["/home/ada/my_shop v1.2", "-home-ada-my-shop-v1-2"],
    ["/home/ada/a--b", "-home-ada-a--b"],
    ["C:\\git\\shop", "C--git-shop"],
    ["/home/ada/caf\u00e9", "-home-ada-caf-"],
    ["/home/ada/\u{1F600}", "-home-ada---"],
    ["/", "-"],
  ])("writes %j as %j", (path, slug) => {
    expect(sanitizePath(path)).toBe(slug);
  });

  it("leaves 200 characters whole and cuts 201, with a hash of the whole path behind", () => {
    const whole = `/${"a".repeat(199)}`;
    expect(sanitizePath(whole)).toBe(`-${"a".repeat(199)}`);
    expect(sanitizePath(`${whole}a`)).toMatch(/^-a{199}-[0-9a-z]{1,7}$/);
  });

  it("hashes the path as it was, in UTF-16 units, 32 bits, signed, base 36", () => {
    // Worked out by hand for one path: 31 * h + unit, wrapped.
    let hash = 0n;
    for (const unit of LONG) hash = BigInt.asIntN(32, 31n * hash + BigInt(unit.charCodeAt(0)));
    const size = hash < 0n ? -hash : hash;
    expect(sanitizePath(LONG)).toBe(`${PREFIX}-${size.toString(36)}`);
    expect(sanitizePath(`${LONG}_`)).not.toBe(sanitizePath(`${LONG}.`));
  });
});

describe("findSlugFolder", () => {
  it("takes the folder of a long path that is there already", async () => {
    const projects = await tempDir();
    expect(findSlugFolder(projects, LONG)).toBe(sanitizePath(LONG));
    await mkdir(join(projects, `${PREFIX}-other`));
    expect(findSlugFolder(projects, LONG)).toBe(`${PREFIX}-other`);
  });

  it("computes the name where two are there, where it is a file, and where the prefix is another", async () => {
    const projects = await tempDir();
    await writeFile(join(projects, `${PREFIX}-file`), "");
    await mkdir(join(projects, `${PREFIX.slice(0, -1)}y-near`));
    expect(findSlugFolder(projects, LONG)).toBe(sanitizePath(LONG));
    await mkdir(join(projects, `${PREFIX}-one`));
    await mkdir(join(projects, `${PREFIX}-two`));
    expect(findSlugFolder(projects, LONG)).toBe(sanitizePath(LONG));
  });

  it("never looks for a short path", () => {
    expect(findSlugFolder("/does/not/exist", "/home/ada/shop")).toBe("-home-ada-shop");
  });
});
