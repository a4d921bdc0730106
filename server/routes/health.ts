import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { healthResponse, readyResponse } from "../../shared/protocol/schemas.ts";
import type { GitPort } from "../git/port.ts";
import { failures } from "./failures.ts";
import { TAGS } from "./project-params.ts";

interface HealthOptions {
  readonly version: string;
  readonly git: Pick<GitPort, "readRef">;
  readonly baseRef: string;
}

/** For supervisors: alive; and ready, which means that the repository answers. Neither names a project or a person. */
export const health: FastifyPluginAsyncZod<HealthOptions> = async (app, { version, git, baseRef }) => {
  const common = { tags: TAGS.service, security: [] };

  const aliveSchema = { ...common, response: { 200: healthResponse, ...failures() } };
  app.get("/healthz", { schema: aliveSchema, config: { access: "public" } }, async () => ({
    status: "ok" as const,
    version,
  }));

  const readySchema = { ...common, response: { 200: readyResponse, 503: readyResponse, ...failures() } };
  app.get("/readyz", { schema: readySchema, config: { access: "public" } }, async (_request, reply) => {
    const revision = await git.readRef(baseRef);
    if (revision === null) return reply.code(503).send({ status: "starting" as const, revision: "" });
    return reply.send({ status: "ready" as const, revision });
  });
};
