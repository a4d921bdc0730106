import { existsSync } from "node:fs";
import { readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { toDiskError } from "../../shared/path/disk-error.ts";
import { toAgeMs } from "../../shared/to-age-ms.ts";
import type { ClientEnvironment } from "../config.ts";
import { CLIENT_FILE } from "./hook-entries.ts";
import { rehearseUpdate, type Update, updateFile } from "./update-file.ts";

const PART_FILE = /^team-memory-(first|later)-[0-9a-f]+\.cjs$/;
/** And what launch.ts keeps beside one, by its name. */
const PART_OR_KEPT = /^team-memory-(first|later)-[0-9a-f]+\.cjs/;

export interface RunningClient {
  /** The file that runs now: the built one, wherever npx put it, with its parts beside it. */
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
 * @throws TeamMemoryError `usage` where what runs is no built client; `disk`, `disk_full`, `busy`
 */
export async function installClient(env: ClientEnvironment, running: RunningClient): Promise<string> {
  const target = installedClientPath(env);
  const folders = await putClient(env, running, updateFile);
  try {
    for (const folder of folders) await sweepParts(running, folder);
    return target;
  } catch (error) {
    throw toDiskError(error, "install the client", target);
  }
}

/** Throws what installClient would throw, before anything has been changed. @throws TeamMemoryError as installClient */
export async function assertClientInstallable(env: ClientEnvironment, running: RunningClient): Promise<void> {
  await putClient(env, running, rehearseUpdate);
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

/** The folders it went to: none where a newer one is there. */
async function putClient(env: ClientEnvironment, running: RunningClient, update: Update): Promise<readonly string[]> {
  try {
    const source = await toBuiltFile(running);
    if (await hasNewer(env, running.version)) return [];
    const folders = [join(clientFolder(env), running.version), clientFolder(env)];
    for (const folder of folders) await putAll(source, folder, update);
    return folders;
  } catch (error) {
    throw toDiskError(error, "install the client", installedClientPath(env));
  }
}

/** The parts come first, under names of their own content: whichever client a session runs finds those it was built with. */
async function putAll(source: string, folder: string, update: Update): Promise<void> {
  const parts = (await listNames(dirname(source), PART_FILE)).map(
    (name) => [name, join(dirname(source), name)] as const,
  );
  for (const [name, from] of [...parts, [CLIENT_FILE, source] as const]) {
    const text = await readFile(from, "utf8");
    await update(join(folder, name), { mode: 0o700, folderMode: 0o700 }, () => text);
  }
}

async function sweepParts(running: RunningClient, folder: string): Promise<void> {
  const needed = await listNames(dirname(await realpath(running.file)), PART_FILE);
  for (const name of await listNames(folder, PART_OR_KEPT))
    if (!needed.some((part) => name.startsWith(part))) await removeWhenOld(join(folder, name));
}

async function listNames(folder: string, pattern: RegExp): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => pattern.test(name));
}

/** A client that runs now may still come to need it. */
async function removeWhenOld(file: string): Promise<void> {
  if (toAgeMs(await stat(file)) > LIMITS.replacedClientAgeMsMax) await rm(file, { force: true });
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
