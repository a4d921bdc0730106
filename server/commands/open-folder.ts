import { access } from "node:fs/promises";
import { join } from "node:path";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Config } from "../config.ts";
import { REPOSITORY_NAME } from "../git/create-repository.ts";
import { findGitBinary, type GitBinary } from "../git/git-binary.ts";
import { type EmbeddedRepository, openEmbeddedRepository } from "../git/open-embedded.ts";
import type { AnyPort } from "../git/port.ts";
import { openRemoteRepository } from "../git/remote/open-remote.ts";
import { toRefusal } from "../git/to-refusal.ts";
import { type GitWatcher, watchPort } from "../git/watch-port.ts";
import { openPeople, type People } from "../people/open-people.ts";
import { mirrorFolderOf } from "../remote-settings.ts";
import { openSecret } from "../secret.ts";
import type { ServedRemote } from "../served-remotes.ts";
import { openStateFiles, type StateFiles } from "../state/state-files.ts";

export const BASE_REF = "refs/heads/main";

/** One repository that a service serves, opened. Several processes may have it open at once. */
export interface OpenRepository {
  readonly git: EmbeddedRepository & AnyPort;
  readonly gitBinary: GitBinary | null;
  readonly state: StateFiles;
  readonly clock: () => Date;
}

/** The repository that people are kept on, with the people. */
export interface OpenFolder extends OpenRepository {
  readonly people: People;
  readonly secret: string;
  /** Of each remote that is served; an error in the place of one that cannot be opened. */
  readonly openStates: () => Promise<readonly NamedState[]>;
}

export interface NamedState {
  readonly name: string;
  readonly state: StateFiles | TeamMemoryError;
}

interface Watching {
  readonly git: GitWatcher;
  readonly fetched: () => void;
}

/** @throws TeamMemoryError config_invalid when the secret is not the one of this folder, repository_damaged, disk */
export async function openFolder(config: Config, watching?: Watching): Promise<OpenFolder> {
  const repository = await openRepository(config, config.people, watching);
  const secret = await openSecret(config);
  const people = openPeople({ ...repository, secret });
  await people.assertSecret();
  return { ...repository, people, secret, openStates: () => openStates(config, repository) };
}

function openStates(config: Config, own: OpenRepository): Promise<readonly NamedState[]> {
  const opening = config.remotes.map(async (served) => {
    const state =
      served === config.people
        ? own.state
        : await openRepository(config, served, undefined, own).then(({ state }) => state, toRefusal);
    return { name: served.name, state };
  });
  return Promise.all(opening);
}

/**
 * One of `config.remotes`.
 *
 * @param beside one that is open: its git is taken, for looking for it starts programs
 * @throws TeamMemoryError repository_damaged, disk, and as reaching a remote fails
 */
export async function openRepository(
  config: Config,
  served: ServedRemote,
  watching?: Watching,
  beside?: Pick<OpenRepository, "gitBinary">,
): Promise<OpenRepository> {
  const clock = () => new Date();
  const gitBinary = beside === undefined ? await findGitBinary(config.gitPath ?? undefined) : beside.gitBinary;
  const repository = await openGit(config, served, gitBinary, watching);
  const git = watching === undefined ? repository : watchPort(repository, watching.git);
  return { git, gitBinary, state: openStateFiles(git, clock, served.committer), clock };
}

function openGit(
  { dataFolder }: Config,
  { remote: settings, committer }: ServedRemote,
  git: GitBinary | null,
  watching: Watching | undefined,
): Promise<OpenFolder["git"]> {
  const folder = repositoryFolderOf(dataFolder, settings);
  if (settings === null) return openEmbeddedRepository({ folder, git, baseRef: BASE_REF });
  const onFetch = watching?.fetched;
  const remote = { ...settings, committer };
  return openRemoteRepository({ folder, git, baseRef: BASE_REF, remote, ...(onFetch && { onFetch }) });
}

/** Where its repository lies, and what can be read from it again. */
export function repositoryFolderOf(dataFolder: string, remote: ServedRemote["remote"]): string {
  return remote === null ? dataFolder : mirrorFolderOf(dataFolder, remote);
}

/**
 * For the commands that work on a folder which is there: a mistyped one is not filled with a new repository.
 * @throws TeamMemoryError config_invalid
 */
export async function assertDataFolder({ dataFolder, people }: Config): Promise<void> {
  const found = await access(join(repositoryFolderOf(dataFolder, people.remote), REPOSITORY_NAME)).then(
    () => true,
    () => false,
  );
  if (found) return;
  const message = `Could not find a data folder of the service at ${dataFolder}; name it with --data or TEAM_MEMORY_DATA`;
  throw new TeamMemoryError("config_invalid", message, {
    details: { problems: ["--data (TEAM_MEMORY_DATA): no data folder is there"] },
  });
}
