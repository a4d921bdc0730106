import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { ForgeDesk } from "../forge/forge-desk.ts";
import type { AnyPort, Identity } from "../git/port.ts";
import { deriveKey } from "../secret.ts";
import type { StateFiles } from "../state/state-files.ts";
import { currentSnapshot, type EngineContext } from "./engine-context.ts";
import type { EngineLog } from "./engine-log.ts";
import { openHistory } from "./history/history.ts";
import { openOutcomes } from "./proposal/outcomes.ts";
import type { ReviewPolicy } from "./review-policy.ts";
import { buildBlobTexts } from "./snapshot/blob-texts.ts";
import { buildFolderReader } from "./snapshot/read-folder.ts";
import { buildSnapshots } from "./snapshot/snapshots.ts";
import { readLastWorld } from "./world/held-world.ts";
import { openKnownBranches } from "./world/known-branches.ts";
import { readBase, readOpen, refreshWorld } from "./world/refresh-world.ts";
import { buildTurns } from "./world/turns.ts";
import { buildWaiters } from "./world/waiters.ts";
import { UNSEEN, type World, withOpen } from "./world/world.ts";

export interface EngineOptions {
  readonly git: AnyPort;
  readonly state: StateFiles;
  readonly clock: () => Date;
  readonly log: EngineLog;
  /** For what can be read from git again: the history's index, the branches last seen. */
  readonly cacheFolder: string;
  readonly publicUrl: string;
  /** Who commits what persons propose. */
  readonly committer: Identity;
  /** The service's: the same in every process that shares the remote. */
  readonly secret: string;
  /** Proposals are reviewed as pull requests of this forge; stopped with the engine. */
  readonly desk?: ForgeDesk | null;
  /** Review is required everywhere unless said otherwise. */
  readonly reviewPolicy?: (project: ProjectName) => ReviewPolicy;
}

/** Everything that the engine's parts share, after a first look at the remote. */
export async function openEngineContext({
  secret,
  reviewPolicy = () => "required",
  desk = null,
  ...given
}: EngineOptions): Promise<EngineContext> {
  const options = { ...given, reviewPolicy, desk, sealKey: deriveKey(secret, "commit seal") };
  const { git, log, cacheFolder } = options;
  const readFolder = buildFolderReader(git);
  const texts = buildBlobTexts(git);
  const history = await openHistory({ ...options, readFolder });
  const waiters = buildWaiters();
  let world = UNSEEN;
  const context: EngineContext = {
    ...options,
    ...{ readFolder, texts, history, waiters },
    snapshots: buildSnapshots({ readFolder, texts, history }),
    outcomes: openOutcomes(options.state),
    knownBranches: openKnownBranches(cacheFolder, log),
    inTurn: buildTurns(),
    world: () => world,
    install: (next) => {
      const before = world;
      world = next;
      for (const project of waiters.projects()) if (isMoved(project, before, next)) void tryTell(context, project);
    },
  };
  const last = await readLastWorld(context, history.index().tip());
  await history.catchUp(await readBase(context));
  context.install(withOpen(last, await readOpen(context, await context.knownBranches.read(), new Map())));
  await lookFirst(context);
  return context;
}

/** A remote that is down is served as the mirror has it; the next look that succeeds goes on from there. */
async function lookFirst(context: EngineContext): Promise<void> {
  try {
    await refreshWorld(context);
  } catch (error) {
    if (!isTeamMemoryError(error) || error.code !== "remote_unreachable") throw error;
    context.log.error({ err: error }, "The remote could not be looked at; it is served as it was last seen");
    await refreshWorld({ ...context, git: { ...context.git, refresh: async () => {} } });
  }
}

function isMoved(project: ProjectName, before: World, next: World): boolean {
  return before.projects.get(project) !== next.projects.get(project);
}

async function tryTell(context: EngineContext, project: ProjectName): Promise<void> {
  try {
    await tellWaiters(context, project);
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    context.log.error({ err: error, project }, "A project could not be read");
  }
}

/** Ends the waits of those who hold another tree than the project has. */
export async function tellWaiters(context: EngineContext, project: ProjectName): Promise<void> {
  context.waiters.tell(project, (await currentSnapshot(context, project)).tree);
}
