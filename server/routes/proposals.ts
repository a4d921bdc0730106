import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import type { ErrorCode } from "../../shared/errors/codes.ts";
import { proposalDetail, proposalRequest, proposalSchema, proposalsResponse } from "../../shared/protocol/schemas.ts";
import { principalOf, requireRole } from "../people/require-role.ts";
import type { Engine } from "../sync/engine.ts";
import { failures } from "./failures.ts";
import { projectParams, proposalParams, TAGS } from "./project-params.ts";

const REFUSALS: readonly ErrorCode[] = [
  "unsupported_media_type",
  "too_large",
  "forbidden",
  "conflict",
  "sequence_conflict",
  "proposal_finished",
  "unprocessable_proposal",
  "secret_found",
  "too_many_proposals",
  "lost_race",
  "disk_full",
];

/** Proposals: the whole wanted set under an id that the client chose, so that sending it again changes nothing. */
export const proposals: FastifyPluginAsyncZod<{ engine: Engine }> = async (app, { engine }) => {
  const one = { tags: TAGS.proposals, params: proposalParams };

  const putSchema = {
    ...one,
    body: proposalRequest,
    response: { 200: proposalSchema, 201: proposalSchema, ...failures(...REFUSALS) },
  };
  app.put("/projects/:project/proposals/:id", { schema: putSchema }, async (request, reply) => {
    const project = requireRole(request, request.params.project, "contributor");
    const { person } = principalOf(request);
    const { created, proposal } = await engine.putProposal(project, request.params.id, request.body, person);
    return reply.code(created ? 201 : 200).send(proposal);
  });

  const listSchema = {
    tags: TAGS.proposals,
    params: projectParams,
    response: { 200: proposalsResponse, ...failures() },
  };
  app.get("/projects/:project/proposals", { schema: listSchema }, async (request) => {
    const project = requireRole(request, request.params.project, "reader");
    return { proposals: [...(await engine.listProposals(project))] };
  });

  const getSchema = { ...one, response: { 200: proposalDetail, ...failures() } };
  app.get("/projects/:project/proposals/:id", { schema: getSchema }, async (request) =>
    engine.proposal(requireRole(request, request.params.project, "reader"), request.params.id),
  );
};
