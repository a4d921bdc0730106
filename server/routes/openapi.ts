import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { jsonSchemaTransform } from "fastify-type-provider-zod";

/** Watches the routes come; registered before them. */
export async function describeRoutes(app: FastifyInstance, version: string, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "team-memory",
        version,
        description: "What coding agents learn about a project, shared by the team",
      },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
      security: [{ token: [] }],
    },
    transform: jsonSchemaTransform,
    // Pages, the client's tarball, git and the refusals of other methods are no part of the API.
    hideUntagged: true,
  });
}

/** The API, generated from the schemas by which it is served. */
export const openapi: FastifyPluginAsync = async (app) => {
  let text: string | null = null;
  app.get("/openapi.json", { config: { access: "public" } }, async (_request, reply) => {
    text ??= JSON.stringify(app.swagger());
    return reply.type("application/json; charset=utf-8").send(text);
  });
};
