/** Disks that are full and folders that nobody may write to, for real. */
import { chmod, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun, type RunOptions } from "../support/run.ts";
import type { OnEnd } from "../support/teardown.ts";

const HERE: RunOptions = { cwd: "/", env: { PATH: process.env["PATH"] ?? "" } };

export interface SmallDisk {
  grow(): Promise<void>;
  /** Takes what room is left. */
  fill(): Promise<void>;
  /** Gives it back. */
  relieve(): Promise<void>;
}

/** A file system of its own over an empty folder. Needs the right to mount. */
export async function mountDisk(folder: string, sizeKib: number, onEnd: OnEnd): Promise<SmallDisk> {
  await mustRun("mount", ["-t", "tmpfs", "-o", `size=${sizeKib}k,mode=755`, "tmpfs", folder], HERE);
  onEnd(async () => void (await mustRun("umount", ["--lazy", folder], HERE)));
  const ballast = join(folder, "ballast");
  return {
    grow: async () => void (await mustRun("mount", ["-o", `remount,size=${sizeKib * 32}k`, folder], HERE)),
    fill: () => writeFile(ballast, Buffer.alloc(sizeKib * 1024)).catch(() => undefined),
    relieve: () => rm(ballast),
  };
}

export async function listAll(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))];
}

/** Takes the right to write from a folder and those below it; gives back what undoes that, at the end at the latest. */
export async function lockFolders(folder: string, onEnd: OnEnd): Promise<() => Promise<void>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const below = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  const setAll = async (mode: number) => {
    for (const path of [folder, ...below]) await chmod(path, mode);
  };
  await setAll(0o500);
  onEnd(() => setAll(0o700));
  return () => setAll(0o700);
}
