import fastify, { type FastifyBaseLogger } from "fastify";
import { isErrorCode } from "../shared/errors/codes.ts";
import type { LogLevel } from "./config.ts";

/** What lets people in, by the names that it has in requests; also where it stands one level down. */
const SECRET_FIELDS = ["authorization", "token", "code", "secret"];
const paths = ["req.headers.authorization", ...SECRET_FIELDS, ...SECRET_FIELDS.map((field) => `*.${field}`)];

/**
 * One JSON object a line. Fastify's own pino, so that there is one of it. Headers and bodies are never handed to it;
 * should somebody do so one day, what lets people in is cut out. An error has a code, too: ours and the system's stay.
 */
export function openLog(level: LogLevel, stream: NodeJS.WritableStream = process.stderr): FastifyBaseLogger {
  return fastify({ logger: { level, stream, redact: { paths, censor } } }).log;
}

function censor(value: unknown, path: readonly string[]): unknown {
  return path.at(-1) === "code" && (isErrorCode(value) || isSystemCode(value)) ? value : "[Redacted]";
}

/** `EADDRINUSE`, `ERR_HTTP_REQUEST_TIMEOUT`, `HPE_HEADER_OVERFLOW`: no code of an invite is so short and so uniform. */
function isSystemCode(value: unknown): boolean {
  return typeof value === "string" && value.length < 32 && /^[A-Z][A-Z0-9_]+$/.test(value);
}
