/**
 * Requests to a git remote over HTTP: one keep-alive agent, bounds on time and size, the token in a header built for each
 * request. Redirects are not followed: the token would go where the operator has not sent it.
 */
import http from "node:http";
import https from "node:https";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { errorCodeOf } from "../translate-git-error.ts";
import type { Credentials } from "./credentials.ts";
import { toRemoteWords } from "./remote-words.ts";
import { unreachable } from "./unreachable.ts";

export interface RemoteRequest {
  /** Below the repository's address, with its query. */
  readonly path: string;
  readonly accept: string;
  /** What it calls itself; ours unless named. */
  readonly agent?: string;
  /** Posted with its content type; null: GET. */
  readonly body: { readonly type: string; readonly bytes: Uint8Array } | null;
}

export type HttpClient = (request: RemoteRequest, sizeBytesMax: number) => AsyncIterable<Buffer>;

/** Times in milliseconds; the bounds of the house unless a test has less patience. */
export interface HttpTimes {
  readonly idleTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

const HTTP_TIMES: HttpTimes = {
  idleTimeoutMs: LIMITS.remoteIdleTimeoutMs,
  requestTimeoutMs: LIMITS.remoteRequestTimeoutMs,
};

/** The chunks of an answer with status 200. Rejects with `remote_unreachable`, `remote_denied`, and `remote_refused` past the bound. */
export function buildHttpClient(url: string, credentials: Credentials, times: HttpTimes = HTTP_TIMES): HttpClient {
  const library = url.startsWith("https:") ? https : http;
  const agent = new library.Agent({ keepAlive: true, maxSockets: LIMITS.remoteSocketsMax });

  async function* exchange(request: RemoteRequest, sizeBytesMax: number): AsyncGenerator<Buffer> {
    const stop = AbortSignal.timeout(times.requestTimeoutMs);
    try {
      const response = await ask(request, stop);
      let sizeBytes = 0;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        sizeBytes += chunk.length;
        if (sizeBytes > sizeBytesMax) throw tooLarge(sizeBytesMax);
        yield chunk;
      }
      if (!response.complete) throw unreachable("its answer was cut off");
    } catch (error) {
      throw error instanceof TeamMemoryError ? error : unreachable(toReason(error, stop));
    }
  }

  /** A token that was refused is read again, once. */
  async function ask(request: RemoteRequest, stop: AbortSignal): Promise<http.IncomingMessage> {
    const authorization = await credentials.header();
    const first = await send(request, authorization, stop);
    if (first.statusCode !== 401 || authorization === null) return assertOk(first);
    first.resume();
    if (!(await credentials.renew(authorization))) return assertOk(first);
    return assertOk(await send(request, await credentials.header(), stop));
  }

  function send(
    request: RemoteRequest,
    authorization: string | null,
    stop: AbortSignal,
  ): Promise<http.IncomingMessage> {
    const headers = toHeaders(request, authorization);
    return new Promise((resolve, reject) => {
      const method = request.body === null ? "GET" : "POST";
      const sending = library.request(`${url}${request.path}`, { method, headers, agent, signal: stop }, resolve);
      sending.setTimeout(times.idleTimeoutMs, () => sending.destroy(unreachable("it did not answer in time")));
      // The remote may end a kept connection just as it is used again; nothing was read then. A push compares and swaps.
      sending.once("error", (error) => {
        const isStale = sending.reusedSocket && errorCodeOf(error) === "ECONNRESET";
        if (isStale) resolve(send(request, authorization, stop));
        else reject(error);
      });
      sending.end(request.body?.bytes);
    });
  }

  return exchange;
}

/** A whole answer in memory. */
export async function readAll(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** Version 2 is of fetching alone: git asks for none where it pushes, and a host may refuse what it has never seen. */
function toHeaders(
  { path, accept, agent, body }: RemoteRequest,
  authorization: string | null,
): http.OutgoingHttpHeaders {
  return {
    accept,
    "user-agent": agent ?? "git/team-memory",
    ...(path.endsWith("git-receive-pack") ? {} : { "git-protocol": "version=2" }),
    ...(authorization === null ? {} : { authorization }),
    ...(body === null ? {} : { "content-type": body.type, "content-length": body.bytes.length }),
  };
}

/** Forges answer 404 to those who may not see a repository. Its page is not read: the connection goes. */
function assertOk(response: http.IncomingMessage): http.IncomingMessage {
  const { statusCode: status = 0 } = response;
  if (status === 200) return response;
  response.destroy();
  const said = `it answered ${status}${toReasonPhrase(response)}`;
  if (status === 413) throw new TeamMemoryError("remote_refused", `could not use the remote: ${said}`);
  if (status >= 500 || status === 408 || status === 429) throw unreachable(said);
  const hint = status >= 300 && status < 400 ? "; redirects are not followed, name the new address" : "";
  throw new TeamMemoryError("remote_denied", `could not use the remote: ${said}${hint}`, { details: { status } });
}

function toReasonPhrase({ statusMessage = "" }: http.IncomingMessage): string {
  const words = toRemoteWords(statusMessage);
  return words === "" ? "" : ` ${words}`;
}

/** The system's code alone: messages of TLS errors quote certificates, others quote addresses. */
function toReason(error: unknown, stop: AbortSignal): string {
  return stop.aborted ? "it did not finish in time" : (errorCodeOf(error) ?? "the connection failed");
}

function tooLarge(sizeBytesMax: number): TeamMemoryError {
  return new TeamMemoryError("remote_refused", `could not take the remote's answer: over ${sizeBytesMax} bytes`);
}
