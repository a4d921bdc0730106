/** Builds the service from its parts, and never listens. The order of registration is the order of the checks. */
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import { LIMITS } from "../shared/limits.ts";
import type { GitBinary } from "./git/git-binary.ts";
import type { GitPort } from "./git/port.ts";
import type { People } from "./people/open-people.ts";
import { auth } from "./plugins/auth.ts";
import { refuseConnection, watchExpectations } from "./plugins/connections.ts";
import { errors, sendError } from "./plugins/errors.ts";
import { jsonBody } from "./plugins/json-body.ts";
import { limits, type RateLimits } from "./plugins/limits.ts";
import { collectAddresses, refuseOtherMethods } from "./plugins/methods.ts";
import { type ServiceMetrics, timing } from "./plugins/metrics.ts";
import { protocol } from "./plugins/protocol.ts";
import { requestContext, requestIds, setHeaders } from "./plugins/request-context.ts";
import { base } from "./routes/base.ts";
import { clientArchive } from "./routes/client-archive.ts";
import { git } from "./routes/git.ts";
import { head } from "./routes/head.ts";
import { health } from "./routes/health.ts";
import { join } from "./routes/join.ts";
import { memories } from "./routes/memories.ts";
import { memory } from "./routes/memory.ts";
import { metricsRoute } from "./routes/metrics.ts";
import { describeRoutes, openapi } from "./routes/openapi.ts";
import { pages } from "./routes/pages.ts";
import { projects } from "./routes/projects.ts";
import { proposals } from "./routes/proposals.ts";
import { quarantine } from "./routes/quarantine.ts";
import { reviews } from "./routes/reviews.ts";
import { webhooks } from "./routes/webhooks.ts";
import type { Engine } from "./sync/engine.ts";

export interface AppOptions extends RateLimits {
  readonly version: string;
  /** What links say. */
  readonly publicUrl: string;
  /** The reference that everyone pulls. */
  readonly baseRef: string;
  /** Path of the client's tarball. */
  readonly clientArchive: string;
  readonly trustedProxies: readonly string[];
  /** What deliveries of webhooks are signed with; none: they are not taken. */
  readonly webhookSecrets: readonly string[];
  /** The repository here follows a shared remote: nothing is served at /git. */
  readonly isMirror: boolean;
}

export interface AppDependencies {
  readonly engine: Engine;
  /** Of the repository at /git. */
  readonly own: Pick<Engine, "refresh">;
  readonly people: People;
  readonly git: GitPort & { readonly gitDir: string };
  /** Null: no git on this machine, so nothing at /git. */
  readonly gitBinary: GitBinary | null;
  readonly log: FastifyBaseLogger;
  readonly metrics: ServiceMetrics;
}

export async function buildApp(options: AppOptions, dependencies: AppDependencies): Promise<FastifyInstance> {
  const app = createInstance(options, dependencies.log);
  await registerChecks(app, options, dependencies);
  const addresses = collectAddresses(app);
  await describeRoutes(app, options.version, options.publicUrl);
  await registerApi(app, options, dependencies);
  await registerRest(app, options, dependencies);
  refuseOtherMethods(app, addresses);
  await app.ready();
  return app;
}

function createInstance({ trustedProxies }: AppOptions, log: FastifyBaseLogger): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(),
    // A logger for each request is only made where it writes: see logOf.
    childLoggerFactory: (logger) => logger,
    requestIdHeader: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: LIMITS.requestBodySizeBytesMax,
    requestTimeout: LIMITS.requestTimeoutMs,
    keepAliveTimeout: LIMITS.keepAliveTimeoutMs,
    connectionTimeout: LIMITS.socketIdleTimeoutMs,
    maxRequestsPerSocket: LIMITS.requestsPerSocketMax,
    // Whoever still comes while it closes is answered, as long as the last ones are.
    return503OnClosing: false,
    http: { maxHeaderSize: LIMITS.requestHeadersSizeBytesMax },
    routerOptions: { maxParamLength: LIMITS.paramLengthMax },
    // What the router refuses before any hook has run, in the same words as everything else.
    frameworkErrors: (error, request, reply) => {
      setHeaders(request, reply);
      sendError(error, request, reply);
    },
    clientErrorHandler: refuseConnection,
  });
  app.server.headersTimeout = LIMITS.headersTimeoutMs;
  app.server.maxHeadersCount = LIMITS.requestHeadersMax;
  app.server.maxConnections = LIMITS.connectionsMax;
  watchExpectations(app.server);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  return app;
}

/** From cheap to dear: what is malformed never reaches the look-up of a token, a stranger never the parsing of a body. */
async function registerChecks(
  app: FastifyInstance,
  options: AppOptions,
  { people, metrics }: AppDependencies,
): Promise<void> {
  await app.register(errors);
  await app.register(requestContext);
  await app.register(limits, options);
  await app.register(protocol, options);
  await app.register(auth, { people });
  await app.register(jsonBody);
  await app.register(timing, { metrics });
}

async function registerApi(
  app: FastifyInstance,
  options: AppOptions,
  { engine, people, metrics }: AppDependencies,
): Promise<void> {
  const v1 = { prefix: "/v1", engine };
  await app.register(projects, v1);
  await app.register(head, v1);
  await app.register(memories, v1);
  await app.register(memory, v1);
  await app.register(quarantine, v1);
  await app.register(proposals, v1);
  await app.register(reviews, v1);
  await app.register(base, v1);
  await app.register(webhooks, { ...v1, secrets: options.webhookSecrets, metrics });
  await app.register(join, { prefix: "/v1", people, publicUrl: options.publicUrl, version: options.version });
}

async function registerRest(app: FastifyInstance, options: AppOptions, dependencies: AppDependencies): Promise<void> {
  const { engine, own, gitBinary: binary, git: port, metrics } = dependencies;
  const { baseRef, publicUrl, version } = options;
  await app.register(git, { engine: own, gitDir: port.gitDir, binary, baseRef, isMirror: options.isMirror });
  await app.register(health, { version, git: port, baseRef });
  await app.register(metricsRoute, { engine, metrics });
  await app.register(openapi);
  await app.register(clientArchive, { path: options.clientArchive });
  await app.register(pages, { publicUrl, version, servesGit: binary !== null && !options.isMirror });
}
