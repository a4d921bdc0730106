import type { FastifyBaseLogger, FastifyRequest } from "fastify";

/** The log with the request's id. Made where a line is written: most requests write none. */
export function logOf(request: FastifyRequest): FastifyBaseLogger {
  return request.server.log.child({ requestId: request.id });
}

/** Without the query, which may hold what a person pasted by mistake. */
export function toLoggedPath(url: string): string {
  return (url.split("?", 1)[0] ?? "").slice(0, 300);
}
