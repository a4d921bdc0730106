import fastify, { type FastifyBaseLogger } from "fastify";
import type { LogLevel } from "./config.ts";

/**
 * One JSON object a line on standard error. Fastify's own pino, so that there is one of it. Headers are never handed to
 * it; should somebody do so one day, the ones that let people in are cut out.
 */
export function openLog(level: LogLevel): FastifyBaseLogger {
  const redact = ["req.headers.authorization", "headers.authorization", "authorization", "token", "code", "secret"];
  return fastify({ logger: { level, stream: process.stderr, redact } }).log;
}
