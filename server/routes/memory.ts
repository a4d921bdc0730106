import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { sanitizePathKey } from "../../shared/path/sanitize-path-key.ts";
import { historyResponse, memoryResponse } from "../../shared/protocol/schemas.ts";
import { requireRole } from "../people/require-role.ts";
import type { Engine } from "../sync/engine.ts";
import { failures } from "./failures.ts";
import { keyParams, TAGS } from "./project-params.ts";

/** One memory, and who changed it. The key is the rest of the address, each of its segments percent-encoded. */
export const memory: FastifyPluginAsyncZod<{ engine: Engine }> = async (app, { engine }) => {
  const common = { tags: TAGS.memories, params: keyParams };

  const memorySchema = { ...common, response: { 200: memoryResponse, ...failures("path_traversal") } };
  app.get("/projects/:project/memories/*", { schema: memorySchema }, async (request) => {
    const project = requireRole(request, request.params.project, "reader");
    return engine.memory(project, sanitizePathKey(request.params["*"]));
  });

  const historySchema = { ...common, response: { 200: historyResponse, ...failures("path_traversal") } };
  app.get("/projects/:project/history/*", { schema: historySchema }, async (request) => {
    const project = requireRole(request, request.params.project, "reader");
    return engine.history(project, sanitizePathKey(request.params["*"]));
  });
};
