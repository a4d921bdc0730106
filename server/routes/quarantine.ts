import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { quarantineResponse } from "../../shared/protocol/schemas.ts";
import { requireRole } from "../people/require-role.ts";
import type { Engine } from "../sync/engine.ts";
import { failures } from "./failures.ts";
import { projectParams, TAGS } from "./project-params.ts";

/** What stands in the remote and is not served, each file with its reason; and what is served with a warning. */
export const quarantine: FastifyPluginAsyncZod<{ engine: Engine }> = async (app, { engine }) => {
  const schema = { tags: TAGS.memories, params: projectParams, response: { 200: quarantineResponse, ...failures() } };
  app.get("/projects/:project/quarantine", { schema }, async (request) =>
    engine.quarantine(requireRole(request, request.params.project, "reader")),
  );
};
