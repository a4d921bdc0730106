/** Refusals below the routes: what Node's parser could not make a request of, and bodies announced too large. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { ERROR_CODES } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { toBody } from "./errors.ts";

const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Fastify's clientErrorHandler: the connection has no request, so the answer is written by hand. */
export function refuseConnection(this: FastifyInstance, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  this.log.debug({ code: error.code }, "unreadable request");
  const body = JSON.stringify(toBody(new TeamMemoryError("bad_request", "Could not read the request"), ""));
  const head = [
    `HTTP/1.1 ${STATUS_LINES[error.code ?? ""] ?? "400 Bad Request"}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "x-content-type-options: nosniff",
    "cache-control: no-store",
    "connection: close",
  ];
  if (socket.writable) socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  socket.destroy();
}

/** `Expect: 100-continue` with a length that would be refused anyway: said before the body is sent. */
export function watchExpectations(server: Server): void {
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    if (Number(request.headers["content-length"] ?? 0) <= LIMITS.gitPushSizeBytesMax) {
      response.writeContinue();
      server.emit("request", request, response);
      return;
    }
    const error = new TeamMemoryError("too_large", "Could not take the body: it is announced too large");
    response.writeHead(ERROR_CODES.too_large.status, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(toBody(error, "")));
  });
}
