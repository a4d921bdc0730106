import { access } from "node:fs/promises";
import { join } from "node:path";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Config } from "../config.ts";
import { REPOSITORY_NAME } from "../git/create-repository.ts";
import { findGitBinary, type GitBinary } from "../git/git-binary.ts";
import { type EmbeddedRepository, openEmbeddedRepository } from "../git/open-embedded.ts";
import type { AnyPort } from "../git/port.ts";
import { openRemoteRepository } from "../git/remote/open-remote.ts";
import { type GitWatcher, watchPort } from "../git/watch-port.ts";
import { openPeople, type People } from "../people/open-people.ts";
import { mirrorFolderOf } from "../remote-settings.ts";
import { openSecret } from "../secret.ts";
import { openStateFiles, type StateFiles } from "../state/state-files.ts";

export const BASE_REF = "refs/heads/main";

/** What lies in a data folder, opened. Several processes may have it open at once. */
export interface OpenFolder {
  readonly git: EmbeddedRepository & AnyPort;
  readonly gitBinary: GitBinary | null;
  readonly state: StateFiles;
  readonly people: People;
  readonly secret: string;
  readonly clock: () => Date;
}

interface Watching {
  readonly git: GitWatcher;
  readonly fetched: () => void;
}

/** @throws TeamMemoryError config_invalid when the secret is not the one of this folder, repository_damaged, disk */
export async function openFolder(config: Config, watching?: Watching): Promise<OpenFolder> {
  const clock = () => new Date();
  const gitBinary = await findGitBinary(config.gitPath ?? undefined);
  const repository = await openRepository(config, gitBinary, watching);
  const git = watching === undefined ? repository : watchPort(repository, watching.git);
  const secret = await openSecret(config);
  const state = openStateFiles(git, clock);
  const people = openPeople({ state, secret, clock });
  await people.assertSecret();
  return { git, gitBinary, state, people, secret, clock };
}

function openRepository(
  { dataFolder, remote }: Config,
  git: GitBinary | null,
  watching: Watching | undefined,
): Promise<OpenFolder["git"]> {
  if (remote === null) return openEmbeddedRepository({ folder: dataFolder, git, baseRef: BASE_REF });
  const onFetch = watching?.fetched;
  const folder = mirrorFolderOf(dataFolder, remote);
  return openRemoteRepository({ folder, git, baseRef: BASE_REF, remote, ...(onFetch && { onFetch }) });
}

/**
 * For the commands that work on a folder which is there: a mistyped one is not filled with a new repository.
 * @throws TeamMemoryError config_invalid
 */
export async function assertDataFolder({ dataFolder, remote }: Config): Promise<void> {
  const folder = remote === null ? dataFolder : mirrorFolderOf(dataFolder, remote);
  const found = await access(join(folder, REPOSITORY_NAME)).then(
    () => true,
    () => false,
  );
  if (found) return;
  const message = `Could not find a data folder of the service at ${dataFolder}; name it with --data or TEAM_MEMORY_DATA`;
  throw new TeamMemoryError("config_invalid", message, {
    details: { problems: ["--data (TEAM_MEMORY_DATA): no data folder is there"] },
  });
}
