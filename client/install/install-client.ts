import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { toDiskError } from "../../shared/path/disk-error.ts";
import type { ClientEnvironment } from "../config.ts";
import { CLIENT_FILE } from "./hook-entries.ts";

const LATER_FILE = /^team-memory-later-[0-9a-f]+\.cjs$/;

export interface RunningClient {
  /** The file that runs now: the built one, wherever npx put it, with the file of what it loads later beside it. */
  readonly file: string;
  readonly version: string;
}

/** What the hook names, whatever version is behind it. */
export function installedClientPath(env: ClientEnvironment): string {
  return join(clientFolder(env), CLIENT_FILE);
}

/**
 * Keeps the client that runs now where the hook can find it tomorrow: npx clears its own copy away. Put in place in one
 * step, so that a session which starts meanwhile runs the old file or the new one. An older client never replaces a newer
 * one: two services may serve two versions.
 *
 * @returns the path for the hook
 * @throws TeamMemoryError `usage` where what runs is no built client; `disk`, `disk_full`
 */
export async function installClient(env: ClientEnvironment, running: RunningClient): Promise<string> {
  const target = installedClientPath(env);
  try {
    const source = await toBuiltFile(running);
    if (await hasNewer(env, running.version)) return target;
    const versionFolder = join(clientFolder(env), running.version);
    await mkdir(versionFolder, { recursive: true, mode: 0o700 });
    for (const folder of [versionFolder, clientFolder(env)]) await putBothInPlace(source, folder);
    return target;
  } catch (error) {
    throw toDiskError(error, "install the client", target);
  }
}

/** Throws what installClient would throw, before anything has been changed. @throws TeamMemoryError `usage`, `disk` */
export async function assertClientInstallable(running: RunningClient): Promise<void> {
  try {
    await toBuiltFile(running);
  } catch (error) {
    throw toDiskError(error, "read the client", running.file);
  }
}

/** @returns whether there was one. @throws TeamMemoryError `disk` */
export async function removeClient(env: ClientEnvironment): Promise<boolean> {
  try {
    const isThere = existsSync(clientFolder(env));
    await rm(clientFolder(env), { recursive: true, force: true });
    return isThere;
  } catch (error) {
    throw toDiskError(error, "remove the client", clientFolder(env));
  }
}

function clientFolder(env: ClientEnvironment): string {
  return join(env.dataDir, "client");
}

async function toBuiltFile({ file }: RunningClient): Promise<string> {
  const source = await realpath(file);
  if (!source.endsWith(".cjs")) throw notBuilt(source);
  return source;
}

/** What is loaded later comes first, under a name of its own content: whichever first file a session runs finds its second. */
async function putBothInPlace(source: string, folder: string): Promise<void> {
  const later = await listLater(dirname(source));
  for (const name of later) await putInPlace(join(dirname(source), name), join(folder, name));
  await putInPlace(source, join(folder, CLIENT_FILE));
  for (const name of await listLater(folder)) if (!later.includes(name)) await removeWhenOld(join(folder, name));
}

async function listLater(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => LATER_FILE.test(name));
}

/** A client that runs now may still come to need it. */
async function removeWhenOld(file: string): Promise<void> {
  const ageMs = Date.now() - (await stat(file)).mtimeMs;
  if (ageMs > LIMITS.replacedClientAgeMsMax) await rm(file, { force: true });
}

async function putInPlace(source: string, target: string): Promise<void> {
  if (await isSameFile(source, target)) return;
  const staged = `${target}.${process.pid}`;
  try {
    await copyFile(source, staged);
    await rename(staged, target);
  } finally {
    await rm(staged, { force: true });
  }
}

async function isSameFile(source: string, target: string): Promise<boolean> {
  const there = await readFile(target).catch(() => null);
  return there?.equals(await readFile(source)) ?? false;
}

async function hasNewer(env: ClientEnvironment, version: string): Promise<boolean> {
  const there = await readdir(clientFolder(env)).catch(() => []);
  return there.some((name) => isVersion(name) && compareVersions(name, version) > 0);
}

function isVersion(name: string): boolean {
  return /^\d+\.\d+\.\d+/.test(name);
}

/** By the three numbers; what a pre-release says behind them does not count. */
function compareVersions(a: string, b: string): number {
  const numbers = (version: string) => (version.match(/^\d+\.\d+\.\d+/)?.[0] ?? "0.0.0").split(".").map(Number);
  const [left, right] = [numbers(a), numbers(b)];
  return left.map((number, at) => number - (right[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

function notBuilt(file: string): TeamMemoryError {
  return new TeamMemoryError("usage", `Could not install the client, this is no built one: ${file}`, {
    details: { usage: "Run npm run build first, then dist/bundle/team-memory.cjs" },
  });
}
