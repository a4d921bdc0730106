import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { buildGitPort } from "../build-git-port.ts";
import { commitReadme, REPOSITORY_NAME, writeLayout } from "../create-repository.ts";
import type { GitBinary } from "../git-binary.ts";
import { healRepository } from "../heal-repository.ts";
import { openObjectStore } from "../object-store.ts";
import type { EmbeddedRepository } from "../open-embedded.ts";
import type { GitPort, Identity, SharedPort } from "../port.ts";
import { translateGitError } from "../translate-git-error.ts";
import { buildCredentials, type TokenSource } from "./credentials.ts";
import { buildGitTransport } from "./git-transport.ts";
import { buildHttpClient, type HttpTimes } from "./http-client.ts";
import { buildHttpTransport, rememberUnsent } from "./http-transport.ts";
import type { RemoteUrl } from "./parse-remote-url.ts";
import { buildRemoteRefs, type RemoteRefStore } from "./remote-refs.ts";
import { DEFAULT_SSH_FILES, type SshFiles } from "./ssh-command.ts";
import type { RemoteRefs, Transport } from "./transport.ts";

export interface Remote {
  readonly url: RemoteUrl;
  readonly token: TokenSource;
  /** For ssh; the defaults of whoever runs the service unless named. */
  readonly ssh?: SshFiles;
  /** The remote's branch that everyone pulls: `refs/heads/main`. */
  readonly baseRef: string;
  readonly times?: HttpTimes;
  /** Of the first commit, on a remote that has none. */
  readonly committer?: Identity;
}

interface RemoteOptions {
  /** The mirror's own folder; created where it is missing. */
  readonly folder: string;
  readonly git: GitBinary | null;
  /** Under which name the mirror keeps the base. */
  readonly baseRef: string;
  readonly remote: Remote;
  /** Called after each fetch that has brought something. */
  readonly onFetch?: () => void;
}

export type RemoteRepository = EmbeddedRepository & SharedPort;

/**
 * The port on a shared remote, over a bare mirror in `folder`. A remote without any branch gets the first commit; one that
 * cannot be reached is served as it was last seen. Throws `config_invalid` where the remote has branches but not the
 * base, and what reaching it throws where nothing has been seen yet.
 */
export async function openRemoteRepository(options: RemoteOptions): Promise<RemoteRepository> {
  try {
    return await open(options);
  } catch (error) {
    throw translateGitError(error, "open the remote");
  }
}

async function open(options: RemoteOptions): Promise<RemoteRepository> {
  const { folder, git, baseRef } = options;
  const gitDir = join(folder, REPOSITORY_NAME);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const healed = [...(await healRepository({ folder, gitDir, git, baseRef }))];
  await writeLayout(gitDir, baseRef);
  const { port, refs } = await build(options, gitDir);
  try {
    const listed = await refs.refresh();
    if ((await port.readRef(baseRef)) === null) await initialise(options, port, refs, listed);
  } catch (error) {
    if (!isTeamMemoryError(error) || !error.row.retryable || (await port.readRef(baseRef)) === null) throw error;
    healed.push(`goes on from the last look at the remote: ${error.message}`);
  }
  const publishEach: SharedPort["publishEach"] = (updates) =>
    refs.publishEach(updates).catch((error: unknown) => {
      throw translateGitError(error, "move references");
    });
  return { ...port, gitDir, healed, heldBase: refs.heldBase, acceptBase: refs.acceptBase, publishEach };
}

async function build(
  { git, baseRef, remote, onFetch = () => {} }: RemoteOptions,
  gitDir: string,
): Promise<{ port: GitPort; refs: RemoteRefStore }> {
  const { objects, unsent } = rememberUnsent(await openObjectStore(gitDir, git));
  const plain = buildTransport(remote, { gitDir, git, objects, unsent });
  const transport: Transport = { ...plain, fetch: (request) => plain.fetch(request).then(onFetch) };
  const refs = buildRemoteRefs({ gitDir, objects, transport, baseRef, remoteBaseRef: remote.baseRef });
  const port = buildGitPort(objects, refs);
  const refresh = async () => {
    await port.refresh();
    await refs.refresh().catch((error: unknown) => {
      throw translateGitError(error, "look at the remote");
    });
  };
  return { port: { ...port, refresh }, refs };
}

type Here = Omit<Parameters<typeof buildHttpTransport>[0], "http" | "url">;

function buildTransport({ url, token, ssh = DEFAULT_SSH_FILES, times }: Remote, here: Here): Transport {
  if (url.kind === "http") {
    return buildHttpTransport({
      ...here,
      url: url.url,
      http: buildHttpClient(url.url, buildCredentials(token), times),
    });
  }
  const { git, gitDir } = here;
  if (git !== null) return buildGitTransport({ git, gitDir, url, ssh });
  throw new TeamMemoryError("git_required", `could not reach a remote by ${url.kind}: this machine has no git`);
}

/** Of two services that begin at once one is first; the other takes its commit. */
async function initialise(
  { baseRef, remote }: RemoteOptions,
  port: GitPort,
  refs: RemoteRefStore,
  listed: RemoteRefs,
): Promise<void> {
  if ([...listed.keys()].some((ref) => ref.startsWith("refs/heads/"))) {
    const rule = `the remote has branches, but no ${remote.baseRef.slice("refs/heads/".length)}`;
    throw new TeamMemoryError("config_invalid", `could not find the base: ${rule}`, {
      details: { rule, problems: [`--base-branch (TEAM_MEMORY_BASE_BRANCH): ${rule}`] },
    });
  }
  await commitReadme(port, baseRef, remote.committer);
  await refs.refresh();
}
