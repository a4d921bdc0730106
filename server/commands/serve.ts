/**
 * Runs the service: lock, repository, engine, app, port, in this order, and taken down in the opposite one. A kill in
 * between leaves the lock of a dead process and a sound repository, which the next start takes over.
 */
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { EXIT } from "../../shared/errors/codes.ts";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { buildApp } from "../app.ts";
import type { Command } from "../command.ts";
import { type Config, readConfig, redactConfig } from "../config.ts";
import { lockDataFolder } from "../data-folder.ts";
import type { ServerIo } from "../io.ts";
import { openLog } from "../log.ts";
import { CLIENT_ARCHIVE, readVersion } from "../package-files.ts";
import { createFirstAdmin } from "../people/first-admin.ts";
import type { People } from "../people/open-people.ts";
import { openStartInvite, type StartInvite } from "../people/start-invite.ts";
import { buildMetrics } from "../plugins/metrics.ts";
import { toPublicUrl } from "../public-url.ts";
import { writeRemembered } from "../remembered-settings.ts";
import { sweepLeftovers } from "../sweep-leftovers.ts";
import { closeApp } from "./close-app.ts";
import { openClosers } from "./closers.ts";
import { openEngines } from "./open-engines.ts";
import { BASE_REF, type OpenFolder, openFolder } from "./open-folder.ts";
import { warnOfLoopbackLinks } from "./warn-of-loopback-links.ts";
import { toWelcome } from "./welcome.ts";
import { within } from "./within.ts";

/** What a start has decided before it touches anything. */
interface Start {
  readonly config: Config;
  readonly port: number;
  readonly publicUrl: string;
  readonly version: string;
  readonly log: FastifyBaseLogger;
  readonly io: ServerIo;
}

export const serve: Command = async ({ values }, io) => {
  const start = await planStart(readConfig(values), io);
  const closers = openClosers();
  try {
    await run(start, closers.add);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
  io.closeAtEnd(async ({ signal, err }) => {
    if (err === undefined) start.log.info({ signal }, "stopping");
    else start.log.fatal({ err }, "stopping after an unexpected error");
    await closers.closeAll();
  });
  return EXIT.ok;
};

async function planStart(config: Config, io: ServerIo): Promise<Start> {
  const log = openLog(config.logLevel);
  const version = await readVersion();
  log.info({ version, settings: redactConfig(config) }, "starting");
  const port = config.port === 0 ? await findFreePort(config.host, io) : config.port;
  return { config, port, publicUrl: toPublicUrl(config, port), version, log, io };
}

async function findFreePort(host: string, io: ServerIo): Promise<number> {
  try {
    return await io.findFreePort(host);
  } catch (cause) {
    throw toListenError(host, 0, cause);
  }
}

async function run(start: Start, onClose: (close: () => Promise<void>) => void): Promise<void> {
  const { config, publicUrl, log } = start;
  const lock = await lockDataFolder(config.dataFolder, publicUrl, {
    onWatch: () => log.warn("the data folder has a holder that cannot be seen from here; waiting for a sign of life"),
    onLost: () => start.io.endWith(new TeamMemoryError("data_folder_busy", OVERTAKEN)),
  });
  onClose(() => lock.release());
  const metrics = buildMetrics();
  const folder = await openFolder(config, metrics);
  const swept = (await sweepLeftovers(config.dataFolder)).map((path) => `removed the unfinished ${path}`);
  for (const line of [...folder.git.healed, ...swept])
    log.warn({ healed: line }, "put right what an earlier end had left");
  const { engine, own } = await openEngines({ config, folder, publicUrl, log, metrics });
  onClose(() =>
    within(LIMITS.lastLookTimeoutMs, engine.stop(), () => log.info("a look at the remote is left to itself")),
  );
  const app = await buildApp(toAppOptions(start), { ...folder, engine, own, log, metrics });
  onClose(() => closeApp(app));
  await startListening(app, start);
  await writeRemembered(config.dataFolder, { ...config.toRemember, url: publicUrl });
  await welcome(start, folder);
}

const OVERTAKEN = "Could not go on: this process gave no sign of life for so long that another one serves its folder";

function toAppOptions({ config, publicUrl, version }: Start) {
  return {
    ...config,
    publicUrl,
    version,
    baseRef: BASE_REF,
    clientArchive: CLIENT_ARCHIVE,
    isMirror: config.people.remote !== null,
  };
}

async function startListening(app: FastifyInstance, { io, config, port }: Start): Promise<void> {
  try {
    await io.startListening(app, { host: config.host, port });
  } catch (cause) {
    throw toListenError(config.host, port, cause);
  }
}

function toListenError(host: string, port: number, cause: unknown): TeamMemoryError {
  const errno = (cause as NodeJS.ErrnoException).code ?? "unknown";
  const at = `${host}:${port}`;
  if (errno === "EADDRINUSE")
    return new TeamMemoryError("address_in_use", `Could not listen on ${at}: another program does`, {
      details: { host, port },
      cause,
    });
  const problems = [`--host, --port: ${at} cannot be listened on (${errno})`];
  return new TeamMemoryError("config_invalid", `Could not listen on ${at} (${errno})`, {
    details: { problems },
    cause,
  });
}

async function welcome(start: Start, { people, gitBinary }: OpenFolder): Promise<void> {
  const { config, publicUrl, version, log, io } = start;
  await createFirstAdmin(people, config.dataFolder);
  const { data, lines } = toWelcome({
    version,
    publicUrl,
    dataFolder: config.dataFolder,
    invite: await tryInvite(start, people),
    servesGit: gitBinary !== null && config.people.remote === null,
    isMirror: config.people.remote !== null,
    program: io.program,
  });
  warnOfLoopbackLinks(config, io);
  try {
    io.result(data, lines);
  } catch (err) {
    // Who reads the log alone is served all the same; invite makes more lines.
    log.warn({ err }, "the join line could not be printed");
  }
}

/** Who has joined is served also while the remote is down that newcomers are written to. */
async function tryInvite({ config, log }: Start, people: People): Promise<StartInvite | null> {
  try {
    return await openStartInvite(people, config.dataFolder);
  } catch (error) {
    if (!isTeamMemoryError(error) || error.code !== "remote_unreachable") throw error;
    log.warn({ err: error }, "no join line could be made");
    return null;
  }
}
