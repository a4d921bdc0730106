import type { ClientEnvironment } from "../config.ts";
import { findProjectSwitchOff } from "./assert-not-steered.ts";
import type { MachineSettings, SettingsFile } from "./claude-settings.ts";
import { isTrackedByGit } from "./is-tracked-by-git.ts";
import type { ProjectSettings } from "./project-settings.ts";

/** Off carries what switched it off, to be shown. */
export type MemorySwitch = { readonly on: true } | { readonly on: false; readonly why: string };

export interface MemorySwitchSources {
  readonly env: ClientEnvironment;
  readonly machineSettings: MachineSettings;
  readonly projectSettings: readonly ProjectSettings[];
}

/** Team memory needs auto memory on and its own switch on. */
export function isTeamMemoryEnabled(sources: MemorySwitchSources): MemorySwitch {
  return sources.env.disabled ? off("TEAM_MEMORY_DISABLE is set") : isAutoMemoryEnabled(sources);
}

/**
 * As the host decides it: its variable (which can say on as well as off), a bare session, a remote one without a place
 * that lasts, the settings, on. What a project brings along can only switch off: a repository does not decide that a
 * user who said no takes part.
 */
export function isAutoMemoryEnabled(sources: MemorySwitchSources): MemorySwitch {
  const { autoMemory, bareBy, remote, remoteMemoryDir } = sources.env.claude;
  const projectSwitch = findProjectSwitchOff(sources.projectSettings);
  if (autoMemory === "off") return off("CLAUDE_CODE_DISABLE_AUTO_MEMORY is set");
  if (projectSwitch !== null) return off(`${projectSwitch.variable} is set in ${projectSwitch.path}`);
  if (autoMemory === "on") return { on: true };
  if (bareBy !== null) return off(`${bareBy} is set`);
  if (remote && remoteMemoryDir === null) return off("this is a remote session without a lasting memory directory");
  return decideBySettings(sources);
}

/** Administrator, developer's own file in the project, project, user: the first that says anything. */
function decideBySettings({ machineSettings, projectSettings }: MemorySwitchSources): MemorySwitch {
  const isLocal = (file: ProjectSettings) => file.kind === "local";
  const ordered: readonly (SettingsFile | ProjectSettings)[] = [
    ...machineSettings.managed,
    ...projectSettings.filter(isLocal),
    ...projectSettings.filter((file) => !isLocal(file)),
    ...(machineSettings.user === null ? [] : [machineSettings.user]),
  ];
  const deciding = ordered.find((file) => isSaid(file) && !isRefused(file));
  return deciding?.values["autoMemoryEnabled"] === false
    ? off(`autoMemoryEnabled is false in ${deciding.path}`)
    : { on: true };
}

function isSaid(file: SettingsFile): boolean {
  return typeof file.values["autoMemoryEnabled"] === "boolean";
}

/** A project's yes counts only from the developer's own file. */
function isRefused(file: SettingsFile | ProjectSettings): boolean {
  if (!("kind" in file) || file.values["autoMemoryEnabled"] === false) return false;
  return file.kind === "shared" || isTrackedByGit(file.path);
}

function off(why: string): MemorySwitch {
  return { on: false, why };
}
