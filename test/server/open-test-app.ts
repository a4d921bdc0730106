import { join } from "node:path";
import { Writable } from "node:stream";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { ulid } from "ulid";
import { onTestFinished } from "vitest";
import { type AppDependencies, type AppOptions, buildApp } from "../../server/app.ts";
import { openLog } from "../../server/log.ts";
import { buildMetrics } from "../../server/plugins/metrics.ts";
import { buildEngine, type Engine } from "../../server/sync/engine.ts";
import { parseProjectPattern } from "../../shared/project/match-project.ts";
import type { Role } from "../../shared/protocol/schemas.ts";
import { handEngine } from "./hand-engine.ts";
import { BASE_REF, openTestFolder, SECRET } from "./open-test-folder.ts";

export const PUBLIC_URL = "https://memory.example.org";

export type TestFolder = Awaited<ReturnType<typeof openTestFolder>>;
export type MakeEngine = (folder: TestFolder, log: FastifyBaseLogger) => Promise<Engine>;

interface TestAppWish {
  /** A hand-made engine with fixed answers unless a test brings its own. */
  readonly engine?: MakeEngine;
  readonly options?: Partial<AppOptions>;
  readonly gitBinary?: AppDependencies["gitBinary"];
}

/** The whole app over a real repository with real people. */
export async function openTestApp({ engine, options = {}, gitBinary = null }: TestAppWish = {}) {
  const folder = await openTestFolder();
  const { log, lines } = recordLog();
  const made = await (engine?.(folder, log) ?? handEngine().engine);
  const app = await buildApp(
    {
      version: "1.2.3",
      publicUrl: PUBLIC_URL,
      baseRef: BASE_REF,
      clientArchive: join(folder.dataFolder, "client.tgz"),
      trustedProxies: [],
      webhookSecrets: [],
      isMirror: false,
      requestsPerMinutePerToken: 10_000,
      requestsPerMinutePerAddress: 10_000,
      ...options,
    },
    { engine: made, own: made, people: folder.people, git: folder.git, gitBinary, log, metrics: buildMetrics() },
  );
  onTestFinished(async () => {
    await app.close();
    await made.stop();
  });
  return {
    ...folder,
    app,
    log: lines,
    tokenFor: (role: Role, ...projects: string[]) => tokenFor(folder, role, projects),
  };
}

/** The real engine on the folder's repository. */
export const realEngine: MakeEngine = ({ git, state, clock, dataFolder }, log) => {
  const committer = { name: "team-memory", email: "team-memory@localhost" };
  return buildEngine({
    git,
    state,
    clock,
    log,
    cacheFolder: join(dataFolder, "cache"),
    publicUrl: PUBLIC_URL,
    committer,
    secret: SECRET,
  });
};

/** A new person's token: on every project unless some are named. */
async function tokenFor({ people, clock }: TestFolder, role: Role, projects: readonly string[]): Promise<string> {
  const patterns = projects.length === 0 ? ["*"] : projects.map((text) => parseProjectPattern(text));
  const id = ulid();
  const person = { id, name: `A ${role}`, email: `${id}@example.org`, createdAt: clock().toISOString() };
  const wish = { person: { new: person }, grant: { role, projects: patterns } };
  return (await people.createToken(wish, "test")).token;
}

/** Everything that the service logs, at every level, as it logs it. */
function recordLog() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { log: openLog("trace", stream), lines };
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** The port of an app that really listens, for what only a socket can do. */
export async function openPort(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: "127.0.0.1" });
  const address = app.server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
