import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { PROTOCOL_HEADER, PROTOCOL_VERSION } from "../../shared/protocol/version.ts";
import { logOf, toLoggedPath } from "./request-log.ts";

/** Ids are ours alone: one taken from a header would let a caller write into the log. */
export function requestIds(): () => string {
  const run = randomBytes(4).toString("hex");
  let count = 0;
  return () => `${run}-${(count++).toString(36)}`;
}

const COMMON = {
  [PROTOCOL_HEADER]: PROTOCOL_VERSION,
  "cache-control": "private, no-store",
  vary: "authorization, accept-encoding",
} as const;

/** On every answer, names and values in turn. */
export const COMMON_HEADERS: readonly string[] = Object.entries(COMMON).flat();

/** On every answer with a body. Nothing of ours is a page: no browser may run, frame or guess anything of it. */
const HEADERS = {
  ...COMMON,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const;

export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(HEADERS).header("x-request-id", request.id);
}

/**
 * What every answer carries, and what the log keeps of it: writes always, reads only at level debug, where a team of
 * pollers does not bury the rest. Never a body, a query or a header.
 */
export const requestContext = fp(
  async (app) => {
    const logsReads = app.log.level === "debug" || app.log.level === "trace";
    app.addHook("onRequest", (request, reply, done) => {
      setHeaders(request, reply);
      done();
    });
    // A route at a time: to watch an answer leave costs more than an unchanged poll does otherwise.
    app.addHook("onRoute", (route) => {
      const isRead = [route.method].flat().every((method) => method === "GET" || method === "HEAD");
      if (isRead && !logsReads) return;
      route.onResponse = async (request: FastifyRequest, reply: FastifyReply) => logAnswer(request, reply, isRead);
    });
  },
  { name: "request-context", fastify: "5.x" },
);

function logAnswer(request: FastifyRequest, reply: FastifyReply, isRead: boolean): void {
  const facts = {
    method: request.method,
    path: toLoggedPath(request.url),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    person: request.principal?.person.id,
  };
  if (isRead) logOf(request).debug(facts, "answered");
  else logOf(request).info(facts, "answered");
}
