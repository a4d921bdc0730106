/** An engine for each remote that is served, as one; with a desk at its forge, where it has one. */
import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../config.ts";
import { buildForge } from "../forge/build-forge.ts";
import type { ForgeDesk } from "../forge/forge-desk.ts";
import { buildForgeToken } from "../forge/forge-token.ts";
import { openForgeDesk } from "../forge/open-forge-desk.ts";
import { keepCompact } from "../git/keep-compact.ts";
import type { ServiceMetrics } from "../plugins/metrics.ts";
import { EVERY_PROJECT, reviewPolicyOf, type ServedRemote } from "../served-remotes.ts";
import { buildEngine, type Engine } from "../sync/engine.ts";
import { type LateEngine, openedEngine, openLate } from "../sync/late-engine.ts";
import { toBranchName } from "../sync/proposal/refs.ts";
import { routeEngines } from "../sync/route-engines.ts";
import { type OpenFolder, type OpenRepository, openRepository, repositoryFolderOf } from "./open-folder.ts";

interface EnginesOptions {
  readonly config: Config;
  /** What people are kept on. */
  readonly folder: OpenFolder;
  readonly publicUrl: string;
  readonly log: FastifyBaseLogger;
  readonly metrics: ServiceMetrics;
}

interface OpenEngines {
  /** Of all that is served. */
  readonly engine: Engine;
  /** Of what people are kept on: a push to its repository needs no look at the others. */
  readonly own: Engine;
}

/**
 * The remote that people are kept on has to open; another that is down is served once it can be.
 * @throws TeamMemoryError as opening that one does, and config_invalid of any
 */
export async function openEngines(options: EnginesOptions): Promise<OpenEngines> {
  const { remotes, people } = options.config;
  const own = await openEngine(options, people, options.folder);
  const opening = remotes.map((served) =>
    served === people ? Promise.resolve(openedEngine(own)) : openOther(options, served),
  );
  const settled = await Promise.allSettled(opening);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed !== undefined) {
    await Promise.all(settled.map((one) => (one.status === "fulfilled" ? one.value.stop() : undefined)));
    throw failed.reason;
  }
  if (remotes.length === 1 && people.projects.includes(EVERY_PROJECT)) return { engine: own, own };
  const engines = await Promise.all(opening);
  const routes = engines.map((engine, index) => ({ projects: remotes[index]?.projects ?? [], engine }));
  return { engine: routeEngines(routes, own), own };
}

function openDesk({ remote }: ServedRemote, log: FastifyBaseLogger): ForgeDesk | null {
  if (remote === null || remote.forge === null) return null;
  const { kind, apiUrl, repository, token, reviewers } = remote.forge;
  const base = remote.baseRef.slice("refs/heads/".length);
  const place = { kind, apiUrl, repository, base, branchPrefix: toBranchName("") };
  const forge = buildForge({ place, token: buildForgeToken(token) });
  return openForgeDesk({ forge, reviewers, log });
}

function openOther(options: EnginesOptions, served: ServedRemote): Promise<LateEngine> {
  const { config, metrics, log } = options;
  const open = async () => {
    const repository = await openRepository(config, served, metrics, options.folder);
    for (const healed of repository.git.healed)
      log.warn({ healed, remote: served.name }, "put right what an earlier end had left");
    return openEngine(options, served, repository);
  };
  return openLate({ open, log, name: served.name });
}

async function openEngine(
  { config, folder, publicUrl, log }: EnginesOptions,
  served: ServedRemote,
  repository: OpenRepository,
): Promise<Engine> {
  const { git, gitBinary } = repository;
  const desk = openDesk(served, log);
  const engine = await buildEngine({
    desk,
    ...repository,
    log,
    cacheFolder: join(repositoryFolderOf(config.dataFolder, served.remote), "cache"),
    publicUrl,
    committer: served.committer,
    secret: folder.secret,
    reviewPolicy: reviewPolicyOf(served),
  });
  const stopCompacting = keepCompact({ git: gitBinary, gitDir: git.gitDir }, log);
  return {
    ...engine,
    stop: async () => {
      stopCompacting();
      await engine.stop();
    },
  };
}
