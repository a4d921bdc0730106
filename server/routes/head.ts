import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { LIMITS } from "../../shared/limits.ts";
import { type HeadResponse, headResponse } from "../../shared/protocol/schemas.ts";
import { requireRole } from "../people/require-role.ts";
import type { Engine } from "../sync/engine.ts";
import { isUnchanged, sendUnchanged } from "./conditional.ts";
import { failures } from "./failures.ts";
import { projectParams, TAGS } from "./project-params.ts";
import { openWaiting } from "./waiting.ts";

const schema = {
  tags: TAGS.memories,
  params: projectParams,
  querystring: z.strictObject({
    wait: z
      .string()
      .regex(/^\d{1,4}$/)
      .describe("seconds to wait for a change from the tree that If-None-Match names")
      .exactOptional(),
  }),
  response: { 200: headResponse, 304: z.null().describe("no change"), ...failures() },
};

/** Where a project stands: ids only. With `wait` it answers when that changes, or 304 when the time is over. */
export const head: FastifyPluginAsyncZod<{ engine: Engine }> = async (app, { engine }) => {
  const waiting = openWaiting(engine);
  // Before the sockets are closed: whoever waits is answered, not cut off.
  app.addHook("preClose", async () => waiting.stop());

  app.get("/projects/:project/head", { schema }, async (request, reply) => {
    const project = requireRole(request, request.params.project, "reader");
    const waitMs = Math.min(Number(request.query.wait ?? 0) * 1_000, LIMITS.headWaitMsMax);
    let now = await engine.head(project);
    if (waitMs > 0 && isUnchanged(request, toEtag(now))) {
      await waiting.wait({ project, tree: now.tree, waitMs, onGone: (leave) => reply.raw.once("close", leave) });
      // Whoever was removed meanwhile, or lost the project, hears nothing of what came after.
      await app.readmit(request, reply);
      requireRole(request, request.params.project, "reader");
      now = await engine.head(project);
    }
    const etag = toEtag(now);
    return isUnchanged(request, etag) ? sendUnchanged(reply, etag) : reply.header("etag", etag).send(now);
  });
};

function toEtag({ tree, held }: HeadResponse): string {
  return held === true ? `"${tree}-held"` : `"${tree}"`;
}
