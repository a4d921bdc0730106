import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { acceptBaseRequest, baseResponse } from "../../shared/protocol/schemas.ts";
import { principalOf, requireRoleOnAll } from "../people/require-role.ts";
import type { Engine } from "../sync/engine.ts";
import { failures } from "./failures.ts";
import { TAGS } from "./project-params.ts";

/** What is held back of the remote's base; it names projects, so it asks for a role on all of them. */
export const base: FastifyPluginAsyncZod<{ engine: Engine }> = async (app, { engine }) => {
  const common = { tags: TAGS.service };

  const readSchema = { ...common, response: { 200: baseResponse, ...failures("forbidden") } };
  app.get("/base", { schema: readSchema }, async (request) => {
    requireRoleOnAll(request, "reader");
    return engine.base();
  });

  const refusals = failures("unsupported_media_type", "too_large", "forbidden", "lost_race", "disk_full");
  const acceptSchema = { ...common, body: acceptBaseRequest, response: { 200: baseResponse, ...refusals } };
  app.post("/base/accept", { schema: acceptSchema }, async (request) => {
    requireRoleOnAll(request, "reviewer");
    await engine.acceptBase(request.body.revision, principalOf(request).person);
    return engine.base();
  });
};
