/**
 * The pull. Nearly every request here is an unchanged poll, so that path does no more than it must: no body, no schema
 * over the answer, and of the engine only the ETag. A body is shared by all clients that ask for the same, as are its
 * bytes; what is one client's alone travels in a header.
 */
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { memoriesResponse, proposalId } from "../../shared/protocol/schemas.ts";
import { OUTCOMES_HEADER } from "../../shared/protocol/version.ts";
import { requireRole } from "../people/require-role.ts";
import type { Engine } from "../sync/engine.ts";
import { isUnchanged, sendUnchanged } from "./conditional.ts";
import { sendEncoded } from "./encode-once.ts";
import { failures } from "./failures.ts";
import { toOutcomesHeader } from "./outcomes-header.ts";
import { projectParams, TAGS } from "./project-params.ts";
import { openUnchangedPolls } from "./unchanged-polls.ts";

const gitId = z.string().regex(/^[0-9a-f]{40}$/);
const querystring = z.strictObject({
  since: gitId.describe("the tree that the client holds").exactOptional(),
  revision: gitId.describe("a commit that the answer must not be older than").exactOptional(),
  proposals: z.string().max(2_000).describe("ids, separated by commas").exactOptional(),
});

const schema = {
  tags: TAGS.memories,
  params: projectParams,
  querystring,
  response: { 200: memoriesResponse, 304: z.null().describe("no change"), ...failures("behind") },
};

export const memories: FastifyPluginAsyncZod<{ engine: Engine }> = async (app, { engine }) => {
  const polls = openUnchangedPolls(engine);
  app.get("/projects/:project/memories", { schema, onRequest: polls.hook }, async (request, reply) => {
    const project = requireRole(request, request.params.project, "reader");
    const query = toQuery(request.query);
    polls.remember(request, { project, query });
    if (request.headers["if-none-match"] !== undefined) {
      const etag = await engine.memoriesEtag(project, query);
      if (isUnchanged(request, etag)) return sendUnchanged(reply, etag);
    }
    const { body, etag, outcomes } = await engine.memories(project, query);
    if (query.proposals.length > 0) reply.header(OUTCOMES_HEADER, toOutcomesHeader(outcomes));
    return sendEncoded(request, reply.header("etag", etag), body);
  });
};

function toQuery({ proposals, ...query }: z.infer<typeof querystring>) {
  return { ...query, proposals: proposals === undefined ? [] : parseProposalIds(proposals) };
}

/** @throws TeamMemoryError bad_request */
function parseProposalIds(text: string): readonly string[] {
  const ids = [...new Set(text.split(",").filter((id) => id !== ""))];
  if (ids.length <= LIMITS.proposalIdsPerPullMax && ids.every((id) => proposalId.safeParse(id).success)) return ids;
  const message = `Could not read the query: proposals holds at most ${LIMITS.proposalIdsPerPullMax} ids, separated by commas`;
  throw new TeamMemoryError("bad_request", message, { details: { field: "proposals" } });
}
