import type { FastifyPluginAsync } from "fastify";
import { requireRoleOnAll } from "../people/require-role.ts";
import type { ServiceMetrics } from "../plugins/metrics.ts";
import type { Engine } from "../sync/engine.ts";

interface MetricsOptions {
  readonly engine: Pick<Engine, "stats">;
  readonly metrics: ServiceMetrics;
}

/** For Prometheus, which sends a token as `authorization`. The numbers are of all projects: it asks for a role on all. */
export const metricsRoute: FastifyPluginAsync<MetricsOptions> = async (app, { engine, metrics }) => {
  app.get("/metrics", { schema: { hide: true } }, async (request, reply) => {
    requireRoleOnAll(request, "reader");
    const text = await metrics.print(() => engine.stats());
    return reply.type(metrics.contentType).send(text);
  });
};
