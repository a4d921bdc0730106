import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { toDiskError } from "../../../shared/path/disk-error.ts";
import type { HeldFolder } from "../../../shared/path/held-folder.ts";
import { validateTeamMemoryPathSync } from "../../../shared/path/team-path.ts";
import { openTeamFolder, openTeamRoot } from "../../../shared/path/write-in-team.ts";
import { folderOf } from "./key-parts.ts";

/**
 * The folder `folder` below the team folder, checked through all three layers once and then held: a name in it needs no
 * second check, for it is one segment of a key, and no link at it is followed. The check asks for a name that nobody
 * has, so that it is about the folder alone.
 *
 * @returns null where it is missing and is not to be made
 * @throws PathTraversalError, TeamMemoryError `disk`, `disk_full`
 */
export function openFolder(teamDir: string, folder: string, missing: "make" | "null"): HeldFolder | null {
  if (folder === "") return openTeamRoot(teamDir);
  const path = validateTeamMemoryPathSync(teamDir, `${folder}/nobody-${randomBytes(8).toString("hex")}.md`);
  return openTeamFolder(path, { missing });
}

/** Calls `act` for each member, its folder held; members of one folder one after the other. Missing folders are made. */
export function inFolders<T extends { readonly key: string }>(
  teamDir: string,
  members: readonly T[],
  act: (folder: HeldFolder, member: T) => void,
): void {
  for (const [path, group] of groupByFolder(members)) {
    const folder = openFolder(teamDir, path, "make");
    if (folder === null) continue;
    try {
      for (const member of group) act(folder, member);
    } finally {
      folder.close();
    }
  }
}

/** @throws TeamMemoryError `disk`, `disk_full` */
export function ensureTeamDir(teamDir: string): void {
  try {
    mkdirSync(teamDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    // What lies there is looked at by whoever opens it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw toDiskError(error, "make the folder", teamDir);
  }
}

function groupByFolder<T extends { readonly key: string }>(members: readonly T[]): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const member of members) {
    const folder = folderOf(member.key);
    const group = groups.get(folder);
    if (group === undefined) groups.set(folder, [member]);
    else group.push(member);
  }
  return groups;
}
