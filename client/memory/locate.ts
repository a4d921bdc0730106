import { join } from "node:path";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { ClientEnvironment } from "../config.ts";
import { readUserConfig, type UserConfig } from "../user-config.ts";
import { assertNotSteered } from "./assert-not-steered.ts";
import { chooseProject } from "./choose-project.ts";
import { readMachineSettings } from "./claude-settings.ts";
import { findRepository, toRealFolder } from "./find-git-root.ts";
import { isTeamMemoryEnabled, type MemorySwitch } from "./is-auto-memory-enabled.ts";
import { readProjectSettings } from "./project-settings.ts";
import { type GitRemotes, readGitRemotes } from "./read-git-remotes.ts";
import { resolveAutoMemPath } from "./resolve-auto-mem-path.ts";
import { toStateFolder } from "./state-folder.ts";

export interface LocateOptions {
  /** The folder in question: the command's, or the one that the host's hook names. */
  readonly cwd: string;
  readonly env: ClientEnvironment;
  /** The folder that the host itself runs in, where that is another; its settings files count too. */
  readonly hostCwd?: string;
  /** As the user says now, whatever the remotes and the config say; null: it does not matter which. */
  readonly project?: ProjectName | null;
}

/** Everything that a command or hook has to know about where it runs. */
export interface Located {
  /** The canonical git root; without git, the folder itself. */
  readonly root: string;
  readonly memoryDir: string;
  /** The shared part, `team/` below the memory directory. May not exist yet. */
  readonly teamDir: string;
  readonly memory: MemorySwitch;
  /** Null where nothing names one. */
  readonly project: ProjectName | null;
  /** The remotes that were looked at: what a project could be named after. */
  readonly remotes: GitRemotes;
  /** Null while the project has not been joined. */
  readonly service: LocatedService | null;
  /** Where this memory directory's state is kept, outside of it. May not exist yet. */
  readonly stateFolder: string;
}

export interface LocatedService {
  readonly url: string;
  readonly token: string;
  readonly insecure: boolean;
}

/**
 * Synchronous and small: it stands before every session's start. The steering guard comes first, before anything that
 * the environment says is believed.
 *
 * @throws TeamMemoryError `steered_environment`, `ambiguous_project`, `settings_invalid` (team-memory's own settings),
 *   `disk`
 */
export function locate({ cwd, env, hostCwd, project: said }: LocateOptions): Located {
  const folder = toRealFolder(cwd);
  const repository = findRepository(folder);
  const projectSettings = readProjectSettings({ cwd: folder, repository, ...(hostCwd && { hostCwd }) }, env);
  assertNotSteered(projectSettings);

  const root = repository?.root ?? folder;
  const machineSettings = readMachineSettings(env);
  const memoryDir = resolveAutoMemPath({ env, root, machineSettings, projectSettings });
  const config = readUserConfig(env);
  const remotes = readRemotesOf(repository?.commonDir ?? null);
  const project = said === undefined ? chooseProject({ root, remotes, config }) : said;
  return {
    root,
    memoryDir,
    teamDir: join(memoryDir, "team"),
    memory: isTeamMemoryEnabled({ env, machineSettings, projectSettings }),
    project,
    remotes,
    service: project === null ? null : findService(config, project, env),
    stateFolder: toStateFolder(env, memoryDir),
  };
}

function readRemotesOf(commonDir: string | null): GitRemotes {
  return commonDir === null ? { origin: null, upstream: null } : readGitRemotes(commonDir);
}

function findService(config: UserConfig, project: ProjectName, env: ClientEnvironment): LocatedService | null {
  const joined = config.projects.find((entry) => entry.project === project);
  const service = config.services.find(({ url }) => url === joined?.service);
  if (service === undefined) return null;
  return { url: service.url, token: service.token, insecure: service.insecure || env.insecure };
}
