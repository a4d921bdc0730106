import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { webhookForge } from "../../shared/protocol/schemas.ts";
import { withoutSecrets } from "../../shared/secret/without-secrets.ts";

/** The log with the request's id. Made where a line is written: most requests write none. */
export function logOf(request: FastifyRequest): FastifyBaseLogger {
  return request.server.log.child({ requestId: request.id });
}

/** Without the query and without secrets: an address may hold what a person pasted by mistake. */
export function toLoggedPath(url: string): string {
  const path = url.split("?", 1)[0] ?? "";
  const shown = withoutPasted(path).split("/").map(withoutSecrets).join("/");
  // Once more as a whole, and before it is cut: half a token would pass.
  return withoutSecrets(shown).slice(0, 300);
}

/** A webhook's secret looks like nothing, and a forge's settings have its field beside the one for the address. */
function withoutPasted(path: string): string {
  const [, before, behind = ""] = WEBHOOK.exec(path) ?? [];
  if (before === undefined) return path;
  return before + behind.replace(/[^/]+/g, (segment) => (isForge(segment) ? segment : MASK));
}

/** As people mistype it, too. */
const WEBHOOK = /^(\/*(?:v1\/+)?(?:web)?hooks?\/+)(.+)$/i;
const MASK = "[masked]";

function isForge(segment: string): boolean {
  return webhookForge.safeParse(segment).success;
}
