import { realpathSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { escapeForDisplay } from "../../shared/path/escape-for-display.ts";
import type { ClientEnvironment } from "../config.ts";
import { readSettings, type SettingsFile } from "./claude-settings.ts";
import { findRepository, listFoldersUpwards, type Repository } from "./find-git-root.ts";

/** One of the two files that a project may bring along; `local` is meant to be the developer's own, if git agrees. */
export interface ProjectSettings extends SettingsFile {
  readonly folder: string;
  readonly kind: "shared" | "local";
}

export interface SessionFolders {
  /** The folder in question, links resolved, and its repository. */
  readonly cwd: string;
  readonly repository: Repository | null;
  /** Where else the host may have started: its own folder, as the hook sees it. */
  readonly hostCwd?: string;
}

/**
 * Every settings file that the host may have taken from the project: in the folder, in the one that the session was
 * started in, in the checkout's root and the repository's, and in the folders between. Nearest first.
 *
 * The host skips a file that it cannot parse. We refuse: whoever wrote the file decides whether it parses, hosts differ
 * in what they forgive (a BOM, one bad entry), and a file that we cannot judge is no reason to trust what it may have set.
 *
 * @throws TeamMemoryError `steered_environment` where one is there and cannot be read or parsed
 */
export function readProjectSettings(session: SessionFolders, env: ClientEnvironment): readonly ProjectSettings[] {
  return listSettingsFolders(session, env).flatMap((folder) => {
    // One look spares two where there is none, as almost everywhere.
    if (!mayHaveSettings(folder)) return [];
    return [
      ...readOne({ folder, kind: "shared", path: join(folder, ".claude", "settings.json") }),
      ...readOne({ folder, kind: "local", path: join(folder, ".claude", "settings.local.json") }),
    ];
  });
}

function listSettingsFolders(session: SessionFolders, env: ClientEnvironment): readonly string[] {
  const folders = new Set(listUpToRoot(session.cwd, session.repository));
  for (const other of [env.claude.projectDir, session.hostCwd]) {
    const real = other === null || other === undefined ? null : realFolderOrNull(other);
    if (real === null || folders.has(real)) continue;
    for (const folder of listUpToRoot(real, findRepository(real))) folders.add(folder);
  }
  return [...folders];
}

function listUpToRoot(folder: string, repository: Repository | null): string[] {
  if (repository === null) return [folder];
  const upwards = listFoldersUpwards(folder);
  return [...upwards.slice(0, upwards.indexOf(repository.worktree) + 1), repository.root];
}

function mayHaveSettings(folder: string): boolean {
  try {
    return statSync(join(folder, ".claude"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function readOne(file: Pick<ProjectSettings, "folder" | "kind" | "path">): ProjectSettings[] {
  try {
    const settings = readSettings(file.path);
    return settings === null || isOwnSettings(file.folder) ? [] : [{ ...settings, ...file }];
  } catch (cause) {
    if (isOwnSettings(file.folder)) return [];
    const shown = escapeForDisplay(file.path);
    throw new TeamMemoryError(
      "steered_environment",
      `Could not read the project's settings, so what they set cannot be told: ${shown}`,
      { details: { file: shown, variable: null }, cause },
    );
  }
}

/**
 * In the home folder itself `.claude/settings.json` is the user's own file and may set what it likes. The home folder is
 * taken from the system's account, never from `HOME`: a repository that sets `HOME` to itself must not pass for the user.
 */
function isOwnSettings(folder: string): boolean {
  try {
    return folder === realpathSync.native(userInfo().homedir);
  } catch {
    return false;
  }
}

function realFolderOrNull(folder: string): string | null {
  try {
    return realpathSync.native(folder);
  } catch {
    return null;
  }
}
