import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { gitEnvironment } from "../support/git.ts";
import { mustRun } from "../support/run.ts";
import { startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

describe("npm pack", () => {
  it("gives a tarball whose two commands run after npm i -g", async () => {
    const folder = await tempDir();
    const bin = await installGlobally(folder, await packInto(folder));
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
    for (const command of ["team-memory", "team-memory-server"]) {
      expect((await mustRun(join(bin, command), ["--version"], inside(folder))).stdout).toBe(`${version}\n`);
      expect((await mustRun(join(bin, command), ["--help"], inside(folder))).stdout).toContain(command);
    }
    const service = await startService({
      data: join(folder, "data"),
      onEnd: onTestFinished,
      command: join(bin, "team-memory-server"),
    });
    expect(await (await fetch(`${service.url}/healthz`)).json()).toEqual({ status: "ok", version });
  });

  it("serves a client that npx runs from an empty folder with no registry in reach", async () => {
    const folder = await tempDir();
    const service = await startService({ data: join(folder, "data"), onEnd: onTestFinished });
    const { cwd, env } = inside(await tempDir());
    const offline = { cwd, env: { ...env, npm_config_registry: "http://127.0.0.1:9/" } };
    const { stdout } = await mustRun("npx", ["-y", `${service.url}/client.tgz`, "--version"], offline);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("holds neither tests, sources nor declarations", async () => {
    const { stdout } = await mustRun(
      "npm",
      ["pack", "--dry-run", "--json", "--ignore-scripts"],
      packing(await tempDir()),
    );
    const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(["dist/bundle/team-memory.cjs", "dist/client.tgz", "dist/server/main.js"]),
    );
    expect(paths.filter((path) => /\.(ts|map|tsbuildinfo)$|^dist\/(client|test)\//.test(path))).toEqual([]);
  });
});

async function packInto(folder: string): Promise<string> {
  const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await mustRun("npm", args, packing(folder));
  return join(folder, stdout.trim());
}

async function installGlobally(folder: string, tarball: string): Promise<string> {
  const prefix = join(folder, "prefix");
  const args = ["install", "--global", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", prefix, tarball];
  await mustRun("npm", args, { cwd: folder, env: process.env as Record<string, string>, timeoutMs: 150_000 });
  return join(prefix, "bin");
}

function inside(folder: string) {
  return { cwd: folder, env: { ...gitEnvironment(folder), npm_config_update_notifier: "false" } };
}

function packing(folder: string) {
  return { cwd: ROOT, env: inside(folder).env };
}
