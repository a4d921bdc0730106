import { lstat, mkdir, readdir, readFile, rename, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { installClient, installedClientPath, removeClient } from "../../../client/install/install-client.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { machineAt } from "../memory/support.ts";

async function bundleOf(version: string) {
  const folder = await tempDir();
  const file = join(folder, "team-memory.cjs");
  await writeFile(file, `// ${version}\n`);
  return { folder, file, version };
}

describe("installClient", () => {
  it("copies the running file below its version and to the path that never changes", async () => {
    const { env } = machineAt(await tempDir());
    const running = await bundleOf("1.2.3");
    const installed = await installClient(env, running);
    expect(installed).toBe(join(env.dataDir, "client/team-memory.cjs"));
    expect((await readdir(dirname(installed))).sort()).toEqual(["1.2.3", "team-memory.cjs"]);
    expect(await readFile(installed, "utf8")).toBe("// 1.2.3\n");
    expect(await readFile(join(env.dataDir, "client/1.2.3/team-memory.cjs"), "utf8")).toBe("// 1.2.3\n");
    expect((await stat(dirname(installed))).mode & 0o777).toBe(0o700);
  });

  it("brings the parts, and drops what no client can need any more, with what was kept beside it", async () => {
    const { env } = machineAt(await tempDir());
    const running = await bundleOf("1.2.3");
    const [before, after] = ["team-memory-first-0a.cjs", "team-memory-later-0b.cjs"] as const;
    await writeFile(join(running.folder, before), "");
    const folder = dirname(await installClient(env, running));
    await rename(join(running.folder, before), join(running.folder, after));
    await installClient(env, running);
    const kept = [before, after].map((name) => `${name}.v20.0.0-x64`);
    for (const name of kept) await writeFile(join(folder, name), "\xff", "latin1");
    expect((await readdir(folder)).sort()).toEqual(["1.2.3", before, kept[0], after, kept[1], "team-memory.cjs"]);
    for (const name of [before, ...kept]) await utimes(join(folder, name), new Date(0), new Date(0));
    await installClient(env, running);
    expect((await readdir(folder)).sort()).toEqual(["1.2.3", after, kept[1], "team-memory.cjs"]);
    const own = { file: join(folder, "team-memory.cjs"), version: "1.2.4" };
    await installClient(env, own);
    expect(await readdir(join(folder, "1.2.4"))).toEqual([after, "team-memory.cjs"]);
  });

  it("follows the link by which npx runs it", async () => {
    const { env } = machineAt(await tempDir());
    const { folder, file, version } = await bundleOf("1.2.3");
    await mkdir(join(folder, ".bin"));
    await symlink(file, join(folder, ".bin/team-memory"));
    await installClient(env, { file: join(folder, ".bin/team-memory"), version });
    expect(await readFile(installedClientPath(env), "utf8")).toBe("// 1.2.3\n");
  });

  it.each([
    ["1.9.0", "1.10.0", "1.10.0"],
    ["1.10.0", "1.9.0", "1.10.0"],
    ["2.0.0", "2.0.0", "2.0.0"],
    ["0.0.0-dev", "0.1.0", "0.1.0"],
  ])("after %s and then %s runs %s", async (first, second, expected) => {
    const { env } = machineAt(await tempDir());
    await installClient(env, await bundleOf(first));
    await installClient(env, await bundleOf(second));
    expect(await readFile(installedClientPath(env), "utf8")).toBe(`// ${expected}\n`);
  });

  it("takes a rebuilt file of the same version, and can be run from its own copy", async () => {
    const { env } = machineAt(await tempDir());
    const running = await bundleOf("1.2.3");
    await installClient(env, running);
    await writeFile(running.file, "// rebuilt\n");
    await installClient(env, running);
    await installClient(env, { file: installedClientPath(env), version: "1.2.3" });
    expect(await readFile(installedClientPath(env), "utf8")).toBe("// rebuilt\n");
  });

  it("refuses what is no built client, and one that is not there", async () => {
    const folder = await tempDir();
    const { env } = machineAt(folder);
    await writeFile(join(folder, "main.ts"), "");
    await expect(installClient(env, { file: join(folder, "main.ts"), version: "1.0.0" })).rejects.toMatchObject({
      code: "usage",
    });
    await expect(installClient(env, { file: join(folder, "gone.cjs"), version: "1.0.0" })).rejects.toMatchObject({
      code: "disk",
    });
    await expect(lstat(env.dataDir)).rejects.toThrow();
  });
});

describe("removeClient", () => {
  it("removes every version, and is content where there is none", async () => {
    const { env } = machineAt(await tempDir());
    await installClient(env, await bundleOf("1.2.3"));
    await removeClient(env);
    await removeClient(env);
    expect(await readdir(env.dataDir)).toEqual([]);
  });
});
