import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { withoutSecrets } from "../../shared/secret/without-secrets.ts";

/** The log with the request's id. Made where a line is written: most requests write none. */
export function logOf(request: FastifyRequest): FastifyBaseLogger {
  return request.server.log.child({ requestId: request.id });
}

/** Without the query and without secrets: an address may hold what a person pasted by mistake. */
export function toLoggedPath(url: string): string {
  const path = url.split("?", 1)[0] ?? "";
  const shown = path.split("/").map(withoutSecrets).join("/");
  // Once more as a whole, and before it is cut: half a token would pass.
  return withoutSecrets(shown).slice(0, 300);
}
