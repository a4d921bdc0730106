import type { FastifyReply, FastifyRequest } from "fastify";

/** Whether the caller holds what this ETag names; weak and strong forms of one tag are the same to a GET. */
export function isUnchanged(request: FastifyRequest, etag: string): boolean {
  const held = request.headers["if-none-match"];
  if (held === undefined) return false;
  if (held === etag) return true;
  return held.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}

export function sendUnchanged(reply: FastifyReply, etag: string): FastifyReply {
  return reply.code(304).header("etag", etag).send();
}
