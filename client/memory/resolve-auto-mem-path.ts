import path, { type PlatformPath } from "node:path";
import type { ClientEnvironment } from "../config.ts";
import type { MachineSettings, SettingsFile } from "./claude-settings.ts";
import { isTrackedByGit } from "./is-tracked-by-git.ts";
import type { ProjectSettings } from "./project-settings.ts";
import { findSlugFolder } from "./sanitize-path.ts";

export interface MemoryPathSources {
  readonly env: ClientEnvironment;
  /** The canonical git root, or the folder itself. */
  readonly root: string;
  readonly machineSettings: MachineSettings;
  readonly projectSettings: readonly ProjectSettings[];
}

/**
 * The memory directory of one project on this machine, where the host looks for it: the override, then
 * `autoMemoryDirectory`, then the default below the host's own folder. Of the settings the first that says anything
 * decides, as in the host: where its value is not allowed the default holds, not the next one's word.
 */
export function resolveAutoMemPath(sources: MemoryPathSources): string {
  const { env, root } = sources;
  const override = env.claude.memoryPathOverride;
  // The override is a full path: the host does not expand `~` in it.
  const given = override === null ? null : parseMemoryPath(override, { home: null });
  return given ?? findConfiguredDirectory(sources) ?? toDefaultDirectory(env, root);
}

/** True for a path inside the memory directory, not for the directory itself nor a sibling that starts with its name. */
export function isAutoMemPath(candidate: string, memoryDir: string): boolean {
  if (candidate.includes("\0")) return false;
  return path.normalize(candidate).startsWith(path.normalize(memoryDir).replace(/[\\/]+$/, "") + path.sep);
}

/**
 * A full path, or `~/…` where a home folder is given. Refused, with null: relative paths, `~` and what climbs out of it,
 * a drive or the root itself, UNC (another machine), NUL. A memory directory must be a folder of its own.
 */
export function parseMemoryPath(
  value: unknown,
  options: { readonly home: string | null; readonly paths?: PlatformPath },
): string | null {
  const { home, paths = path } = options;
  if (typeof value !== "string" || value.includes("\0") || /^[\\/]{2}/.test(value)) return null;
  const rest = home === null ? undefined : /^~[\\/](.*)$/s.exec(value)?.[1];
  if (rest !== undefined && /^\.{0,2}([\\/]|$)/.test(paths.normalize(rest))) return null;
  const full = rest === undefined || home === null ? value : paths.join(home, rest);
  const normal = paths.normalize(full).replace(/[\\/]+$/, "");
  const isOwnFolder = paths.isAbsolute(full) && normal.length > 2 && !/^[A-Za-z]:$/.test(normal);
  return isOwnFolder ? normal : null;
}

/** Administrator, developer's own file in the project, user. Never the project's shared file. */
function findConfiguredDirectory({ env, machineSettings, projectSettings }: MemoryPathSources): string | null {
  const { managed, user } = machineSettings;
  const said =
    managed.find(isSaid) ??
    projectSettings.find((file) => file.kind === "local" && isSaid(file) && !isTrackedByGit(file.path)) ??
    user;
  return parseMemoryPath(said?.values["autoMemoryDirectory"], { home: env.home });
}

function isSaid(file: SettingsFile): boolean {
  return typeof file.values["autoMemoryDirectory"] === "string";
}

function toDefaultDirectory(env: ClientEnvironment, root: string): string {
  const projects = projectsFolder(env);
  const { projectDirName } = env.claude;
  const named = projectDirName !== null && /^[\w-][\w.-]*$/.test(projectDirName) ? projectDirName : null;
  return path.join(projects, named ?? findSlugFolder(projects, root), "memory");
}

/** Where the host keeps a folder for each project. */
export function projectsFolder({ claude }: ClientEnvironment): string {
  return path.join(
    claude.remoteMemoryDir === null ? claude.configDir : path.resolve(claude.remoteMemoryDir),
    "projects",
  );
}
