import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import type { ErrorCode } from "../../shared/errors/codes.ts";
import { approveRequest, closeRequest, proposalSchema } from "../../shared/protocol/schemas.ts";
import { principalOf, requireRole } from "../people/require-role.ts";
import type { Engine } from "../sync/engine.ts";
import { failures } from "./failures.ts";
import { proposalParams, TAGS } from "./project-params.ts";

const REFUSALS: readonly ErrorCode[] = [
  "unsupported_media_type",
  "too_large",
  "forbidden",
  "proposal_outdated",
  "proposal_changed",
  "proposal_finished",
  "unprocessable_proposal",
  "secret_found",
  "lost_race",
  "disk_full",
];

/** The built-in review: a reviewer says yes or no, to the whole proposal or to named keys of it. */
export const reviews: FastifyPluginAsyncZod<{ engine: Engine }> = async (app, { engine }) => {
  const common = {
    tags: TAGS.proposals,
    params: proposalParams,
    response: { 200: proposalSchema, ...failures(...REFUSALS) },
  };

  app.post(
    "/projects/:project/proposals/:id/approve",
    { schema: { ...common, body: approveRequest } },
    async (request) => {
      const project = requireRole(request, request.params.project, "reviewer");
      return engine.approve(project, request.params.id, request.body, principalOf(request).person);
    },
  );

  app.post("/projects/:project/proposals/:id/close", { schema: { ...common, body: closeRequest } }, async (request) => {
    const project = requireRole(request, request.params.project, "reviewer");
    return engine.close(project, request.params.id, request.body, principalOf(request).person);
  });
};
