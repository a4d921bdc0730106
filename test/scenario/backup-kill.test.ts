import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { assertSound, git, gitEnvironment } from "../support/git.ts";
import { randomFrom } from "../support/random.ts";
import { mustRun } from "../support/run.ts";
import { startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const MAIN = fileURLToPath(new URL("../../dist/server/main.js", import.meta.url));
const KILLS = Number(process.env["KILLS"] ?? 4);

it("a backup and a restore killed at any moment are whole or not there, and leave nothing that the next does not sweep", async () => {
  const seed = Date.now();
  const random = randomFrom(seed);
  const { folder, data, out } = await makeFolder();
  const good = join(out, "good");
  const tookMs = await time(() => command("backup", good, "--data", data));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const file = join(out, `killed-${kill}`);
    await killWithin(random() * tookMs, "backup", file, "--data", data);
    for (const name of await readdir(out)) expect((await stat(join(out, name))).mode & 0o077, `seed ${seed}`).toBe(0);
    if (await isThere(file)) await command("restore", file, "--data", join(folder, `of-killed-${kill}`));
  }
  await command("backup", join(out, "last"), "--data", data);
  expect((await readdir(out)).filter((name) => name.startsWith("."))).toEqual([]);

  const restoreMs = await time(() => command("restore", good, "--data", join(folder, "restored")));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const target = join(folder, `target-${kill}`);
    await killWithin(random() * restoreMs, "restore", good, "--data", target);
    if (await isThere(target)) await command("token", "list", "--data", target);
  }
  await command("restore", good, "--data", join(folder, "last"));
  expect((await readdir(folder)).filter((name) => name.startsWith("."))).toEqual([]);
  await assertSound(join(folder, "last", "memory.git"));
}, 600_000);

/** A data folder that takes a while to be packed, and a folder for backups. */
async function makeFolder() {
  const folder = await tempDir();
  const [data, out, clone] = [join(folder, "data"), join(folder, "out"), join(await tempDir(), "clone")];
  const service = await startService({ data, onEnd: onTestFinished });
  await service.stop();
  await mkdir(out);
  await git(folder, ["clone", "-q", service.gitDir, clone]);
  for (let file = 0; file < 10; file += 1) await writeFile(join(clone, `${file}`), randomBytes(1_000_000));
  await git(clone, ["add", "."]);
  await git(clone, ["commit", "-q", "-m", "Weight"]);
  await git(clone, ["push", "-q", service.gitDir, "HEAD:refs/heads/main"]);
  return { folder, data, out };
}

async function command(...words: readonly string[]): Promise<void> {
  await mustRun(process.execPath, [MAIN, ...words], { cwd: "/", env: gitEnvironment("/nowhere") });
}

async function killWithin(ms: number, ...words: readonly string[]): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...words], { env: gitEnvironment("/nowhere") });
  const ended = once(child, "exit");
  await new Promise((resolve) => setTimeout(resolve, ms));
  child.kill("SIGKILL");
  await ended;
}

async function time(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
