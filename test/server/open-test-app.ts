import { join } from "node:path";
import { Writable } from "node:stream";
import fastify, { type FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";
import { type AppOptions, buildApp } from "../../server/app.ts";
import type { Engine } from "../../server/sync/engine.ts";
import { parseProjectPattern } from "../../shared/project/match-project.ts";
import type { Role } from "../../shared/protocol/schemas.ts";
import { handEngine } from "./hand-engine.ts";
import { BASE_REF, openTestFolder } from "./open-test-folder.ts";

export const PUBLIC_URL = "https://memory.example.org";

interface TestAppWish {
  readonly engine?: Partial<Engine>;
  readonly options?: Partial<AppOptions>;
}

/** The whole app over a real repository and real people, with a hand-made engine. */
export async function openTestApp({ engine: changes = {}, options = {} }: TestAppWish = {}) {
  const folder = await openTestFolder();
  const { engine, calls } = handEngine(changes);
  const { log, lines } = recordLog();
  const app = await buildApp(
    {
      version: "1.2.3",
      publicUrl: PUBLIC_URL,
      baseRef: BASE_REF,
      clientArchive: join(folder.dataFolder, "client.tgz"),
      trustedProxies: [],
      requestsPerMinutePerToken: 10_000,
      requestsPerMinutePerAddress: 10_000,
      ...options,
    },
    { engine, people: folder.people, git: folder.git, gitBinary: null, log },
  );
  onTestFinished(() => app.close());
  const join_ = (role: Role, ...projects: string[]) => tokenFor(folder, role, projects);
  return { ...folder, app, calls, log: lines, tokenFor: join_ };
}

/** A new person's token: on every project unless some are named. */
async function tokenFor(folder: Awaited<ReturnType<typeof openTestFolder>>, role: Role, projects: readonly string[]) {
  const patterns = projects.length === 0 ? ["*"] : projects.map((text) => parseProjectPattern(text));
  const wish = { grant: { role, projects: patterns }, name: null, email: null, origin: "admin" as const };
  const [invited] = await folder.people.createInvites(wish, 1);
  return (await folder.people.redeem({ code: invited?.code ?? "", name: `A ${role}` })).token;
}

/** Everything that the service logs, at every level. */
function recordLog() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { log: fastify({ logger: { level: "trace", stream } }).log, lines };
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** The port of an app that really listens, for what only a socket can do. */
export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: "127.0.0.1" });
  const address = app.server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
