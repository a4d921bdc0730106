import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { runCheckSync } from "./ask-disk.ts";
import { checkTeamDir, refuse, ruleOf } from "./check-team-path.ts";
import { codeOf, toDiskError } from "./disk-error.ts";
import { type HeldFolder, inFolder } from "./held-folder.ts";
import type { FolderTarget, Hold } from "./hold.ts";
import { holdByDescriptor } from "./hold-by-descriptor.ts";
import { holdByWorkingDirectory } from "./hold-by-working-directory.ts";
import type { TeamPath } from "./team-path.ts";

export interface OpenOptions {
  /** What to do with folders that are not there: make them (0700), or give null. */
  readonly missing: "make" | "null";
  /** How to keep hold of the folder; left out, the best that this system has. */
  readonly by?: "descriptor" | "working-directory";
}

/**
 * Opens the folder in which a checked file lies, or shall lie, so that nothing done to its path afterwards redirects a
 * write. Synchronous, for a thousand files in a row. Close it (`using` does).
 * @returns null where the folder is missing and `missing` says so
 * @throws PathTraversalError where the team directory or a folder on the way is no longer what was checked
 * @throws TeamMemoryError `disk`, `disk_full`
 */
export function openTeamFolder(file: TeamPath, options: OpenOptions & { missing: "make" }): HeldFolder;
export function openTeamFolder(file: TeamPath, options: OpenOptions): HeldFolder | null;
export function openTeamFolder({ teamDir, pin, key }: TeamPath, options: OpenOptions): HeldFolder | null {
  const folders = key.split("/").slice(0, -1);
  return open({ teamDir, pin, folders, key, isCreating: options.missing === "make" }, options.by);
}

/**
 * Opens the team directory itself: for the index, and for what a killed run left there.
 * @throws PathTraversalError where it is missing, a link, or another user's
 */
export function openTeamRoot(teamDir: string, options: Pick<OpenOptions, "by"> = {}): HeldFolder {
  const team = resolve(teamDir);
  const pin = runCheckSync(checkTeamDir(team, "team/"));
  // Null stands for a missing folder on the way, and there is none on the way.
  return open({ teamDir: team, pin, folders: [], key: "team/", isCreating: false }, options.by) as HeldFolder;
}

function open(target: FolderTarget, by = bestHold()): HeldFolder | null {
  const path = [target.teamDir, ...target.folders].join("/");
  try {
    const hold = HOLDS[by](target);
    return hold && inFolder(hold, { path, key: target.key });
  } catch (error) {
    const failure = { code: codeOf(error), cause: error };
    if (failure.code === "ELOOP" || failure.code === "ENOTDIR") refuse(target.key, ruleOf(failure), failure);
    throw toDiskError(error, "open the folder", path);
  }
}

const HOLDS = { descriptor: holdByDescriptor, "working-directory": holdByWorkingDirectory } as const satisfies Record<
  string,
  (target: FolderTarget) => Hold | null
>;

function bestHold(): keyof typeof HOLDS {
  return process.platform === "linux" && existsSync("/proc/self/fd") ? "descriptor" : "working-directory";
}
