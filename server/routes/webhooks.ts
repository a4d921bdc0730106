import type { FastifyBaseLogger, FastifyRequest, onRequestHookHandler } from "fastify";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { type WebhookForge, webhookForge, webhookResponse } from "../../shared/protocol/schemas.ts";
import { deliveryIdOf, findProof, mayMoveBranches } from "../forge/webhooks/delivery-forms.ts";
import { isProven } from "../forge/webhooks/proofs.ts";
import { openSeenDeliveries } from "../forge/webhooks/seen-deliveries.ts";
import { openWokenLooks } from "../forge/webhooks/woken-looks.ts";
import type { ServiceMetrics } from "../plugins/metrics.ts";
import type { Engine } from "../sync/engine.ts";
import { failures } from "./failures.ts";
import { TAGS } from "./project-params.ts";

interface WebhookOptions {
  readonly engine: Pick<Engine, "refresh">;
  /** What deliveries are signed with; none: there are no webhooks here. */
  readonly secrets: readonly string[];
  readonly metrics: Pick<ServiceMetrics, "delivered">;
}

const schema = {
  tags: TAGS.service,
  security: [],
  description:
    "Signed with a secret of the service, in the forge's own header; git: X-Hub-Signature-256, or the secret itself in X-Team-Memory-Token",
  params: z.object({ forge: webhookForge }),
  body: z.unknown().describe("whatever the forge sends; its signature is checked, and it is not read"),
  response: { 202: webhookResponse, ...failures("signature_invalid", "too_large") },
};

/**
 * A forge says that something has changed. That is all that is taken from it: the service looks for itself, at every
 * remote, for a name in a body would be believed otherwise. What got lost on the way, the poll finds.
 */
export const webhooks: FastifyPluginAsyncZod<WebhookOptions> = async (app, { engine, secrets, metrics }) => {
  const isFirst = openSeenDeliveries();
  const looks = openWokenLooks(() => tryLook(engine, app.log));
  app.addHook("onClose", async () => looks.stop());
  app.removeAllContentTypeParsers();
  // Of any type: the bytes are what is signed, and nobody parses them.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  /** Before the body is read. */
  const admit: onRequestHookHandler = (request, _reply, done) => {
    const forge = forgeOf(request);
    if (forge === null || secrets.length === 0)
      throw new TeamMemoryError("not_found", "Could not find a webhook here: no such forge, or no secret is set");
    if (findProof(forge, request.headers) === null) throw unsigned();
    done();
  };
  const countFailure = async (request: FastifyRequest, _reply: unknown, error: unknown): Promise<void> => {
    const forge = forgeOf(request);
    if (forge === null || secrets.length === 0) return;
    const isUnsigned = isTeamMemoryError(error) && error.code === "signature_invalid";
    metrics.delivered(forge, isUnsigned ? "unsigned" : "unread");
  };

  const options = { schema, config: { access: "public" as const }, bodyLimit: LIMITS.webhookSizeBytesMax };
  app.post("/webhooks/:forge", { ...options, onRequest: admit, onError: countFailure }, async (request, reply) => {
    const { forge } = request.params;
    assertSigned(request, forge, secrets);
    const result = takeIn(request, forge);
    if (result === "looking") looks.wake();
    metrics.delivered(forge, result);
    return reply.code(202).send({ result });
  });

  function takeIn({ headers }: Pick<FastifyRequest, "headers">, forge: WebhookForge) {
    const id = deliveryIdOf(forge, headers);
    if (id !== null && !isFirst(id)) return "duplicate";
    return mayMoveBranches(forge, headers) ? "looking" : "ignored";
  }
};

/** @throws TeamMemoryError signature_invalid: one for a missing proof and a wrong one */
function assertSigned(
  { headers, body }: Pick<FastifyRequest, "headers" | "body">,
  forge: WebhookForge,
  secrets: readonly string[],
): void {
  const delivery = { headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) };
  const proof = findProof(forge, headers);
  if (proof === null || !isProven(proof, delivery, secrets, Date.now())) throw unsigned();
}

function unsigned(): TeamMemoryError {
  return new TeamMemoryError("signature_invalid", "Could not tell who sent this: no signature that is valid here");
}

function forgeOf({ params }: Pick<FastifyRequest, "params">): WebhookForge | null {
  const parsed = schema.params.safeParse(params);
  return parsed.success ? parsed.data.forge : null;
}

async function tryLook(engine: Pick<Engine, "refresh">, log: FastifyBaseLogger): Promise<void> {
  try {
    await engine.refresh();
  } catch (error) {
    log.error({ err: error }, "A webhook said that something has changed, and the remote could not be looked at");
  }
}
