import { randomBytes } from "node:crypto";
import fp from "fastify-plugin";
import { PROTOCOL_HEADER, PROTOCOL_VERSION } from "../../shared/protocol/version.ts";
import { toLoggedPath } from "./errors.ts";

/** Ids are ours alone: one taken from a header would let a caller write into the log. */
export function requestIds(): () => string {
  const run = randomBytes(4).toString("hex");
  let count = 0;
  return () => `${run}-${(count++).toString(36)}`;
}

/**
 * What every answer carries and what the log keeps of it. Reads are logged at debug: a team of pollers would bury the
 * writes. Never a body, a query or a header.
 */
export const requestContext = fp(
  async (app) => {
    app.addHook("onRequest", (request, reply, done) => {
      const { raw } = reply;
      raw.setHeader("x-request-id", request.id);
      raw.setHeader(PROTOCOL_HEADER, PROTOCOL_VERSION);
      raw.setHeader("cache-control", "private, no-store");
      raw.setHeader("vary", "authorization, accept-encoding");
      raw.setHeader("x-content-type-options", "nosniff");
      raw.setHeader("referrer-policy", "no-referrer");
      raw.setHeader("content-security-policy", "default-src 'none'; frame-ancestors 'none'; sandbox");
      done();
    });
    app.addHook("onResponse", (request, reply, done) => {
      const { method } = request;
      const facts = {
        method,
        path: toLoggedPath(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      };
      if (method === "GET" || method === "HEAD") request.log.debug(facts, "answered");
      else request.log.info({ ...facts, person: request.principal?.person.id }, "answered");
      done();
    });
  },
  { name: "request-context", fastify: "5.x" },
);
