import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { HeldFolder } from "../../../shared/path/held-folder.ts";
import type { TeamPath } from "../../../shared/path/team-path.ts";
import { type OpenOptions, openTeamFolder } from "../../../shared/path/write-in-team.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** A memory directory with its team directory, and beside it what no key may reach. */
export interface World {
  readonly root: string;
  readonly team: string;
  readonly outside: string;
}

export async function buildWorld(): Promise<World> {
  const root = await tempDir();
  const world = { root, team: join(root, "memory/team"), outside: join(root, "outside") };
  await mkdir(world.team, { recursive: true });
  await mkdir(join(world.outside, "folder"), { recursive: true });
  await writeFile(join(world.outside, "secret.md"), "a secret");
  return world;
}

/** Every name below a folder with its kind and content: equal before and after means that nothing was touched. */
export function snapshotOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const { mode, nlink, mtimeMs } = lstatSync(path);
      return [path.slice(folder.length), mode.toString(8), nlink, mtimeMs, contentOf(path)].join(" ");
    });
}

function contentOf(path: string): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return readlinkSync(path);
  return stats.isFile() ? readFileSync(path, "utf8") : "";
}

/** Writes a file as a pull does: the old one aside, the new one in, the old one dropped. */
export function place(file: TeamPath, text: string, by?: OpenOptions["by"]): boolean {
  using folder = openTeamFolder(file, by ? { missing: "make", by } : { missing: "make" });
  const name = file.key.slice(file.key.lastIndexOf("/") + 1);
  const temp = folder.createTemp(Buffer.from(text));
  try {
    return replace(folder, temp, name);
  } finally {
    folder.remove(temp);
  }
}

function replace(folder: HeldFolder, temp: string, name: string): boolean {
  const aside = folder.moveAside(name);
  const isPlaced = folder.linkIn(temp, name);
  if (isPlaced && aside !== null) folder.remove(aside);
  return isPlaced;
}

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

/** Runs `act` without root's rights, under which no folder is denied; an ordinary user simply runs it. */
export async function unprivileged<Result>(act: () => Result | Promise<Result>): Promise<Result> {
  if (!isRoot) return act();
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

/** Gives paths to the user as whom `unprivileged` runs. */
export function giveAway(...paths: readonly string[]): void {
  if (isRoot) for (const path of paths) chownSync(path, NOBODY, NOBODY);
}

export const mayMount = isRoot && spawnSync("unshare", ["--mount", "true"]).status === 0;

/** A file system of its own, of 64 KiB, over an empty folder, until the test ends. */
export function mountSmallDisk(folder: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
  onTestFinished(() => {
    execFileSync("umount", [folder]);
  });
}
