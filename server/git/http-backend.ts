/**
 * Smart HTTP for the embedded repository, through git's own `http-backend` as a child. Whoever calls has authenticated
 * the person; what a push would move is asked before any child starts.
 */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { runBackend } from "./backend-child.ts";
import type { GitBinary } from "./git-binary.ts";
import { type GitRoute, parseGitRoute } from "./git-route.ts";
import { type PushCommand, readPushHead, toRefusal } from "./push-commands.ts";
import { translateGitError } from "./translate-git-error.ts";

export interface GitRequest {
  readonly method: string;
  /** Below the repository's URL: `/info/refs`, `/git-upload-pack`, `/git-receive-pack`. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

export interface GitServing {
  readonly binary: GitBinary;
  readonly gitDir: string;
  readonly request: GitRequest;
  /** Untouched so far; it is ended here, whatever happens. */
  readonly response: ServerResponse;
  readonly remoteUser: string;
  /** Null to let a push through, or the words that the person reads in their terminal. */
  readonly allowUpdate: (commands: readonly PushCommand[]) => string | null | Promise<string | null>;
  /** Called after references may have moved and before the client hears of it, so that a push is noticed at once. */
  readonly onUpdated?: () => Promise<void>;
}

/** For the log. `failure` is what kept the request from being served. */
export interface GitServed {
  readonly status: number;
  readonly updated: boolean;
  readonly failure: TeamMemoryError | null;
}

/** Answers the request; never rejects. */
export async function serveGitRequest(serving: GitServing): Promise<GitServed> {
  const { response } = serving;
  try {
    const updated = await serve(serving);
    return { status: response.statusCode, updated, failure: null };
  } catch (error) {
    const failure = translateGitError(error, "serve git");
    answerFailure(response, failure);
    return { status: response.statusCode, updated: false, failure };
  } finally {
    response.end();
  }
}

async function serve(serving: GitServing): Promise<boolean> {
  const { method, path, query, headers, body } = serving.request;
  const route = parseGitRoute(method, path, query);
  if (route.step === "advertise") return run(serving, route, []);
  assertExchange(route, headers);
  const sent = bounded(decoded(body, headers["content-encoding"]));
  return route.service === "git-receive-pack" ? receivePush(serving, route, sent) : run(serving, route, sent);
}

/** Says no before the first byte of a body is read. */
function assertExchange(route: GitRoute, headers: IncomingHttpHeaders): void {
  if (headers["content-type"] !== `application/x-${route.service}-request`) {
    throw new TeamMemoryError("unsupported_media_type", "could not read the request: not git's content type");
  }
  if (Number(headers["content-length"] ?? 0) > LIMITS.gitPushSizeBytesMax) throw tooLarge();
}

function decoded(body: Readable, encoding: string | undefined): Readable {
  if (encoding === undefined || encoding === "identity") return body;
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    throw new TeamMemoryError("unsupported_media_type", "could not read the request: only gzip is decoded");
  }
  const gunzip = createGunzip();
  body.on("error", (error) => gunzip.destroy(error));
  return body.pipe(gunzip);
}

/** Counts what has been decoded: a few kilobytes of gzip may be gigabytes. */
async function* bounded(body: Readable): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > LIMITS.gitPushSizeBytesMax) throw tooLarge();
    yield chunk;
  }
}

function tooLarge(): TeamMemoryError {
  return new TeamMemoryError("too_large", `could not take more than ${LIMITS.gitPushSizeBytesMax} bytes at once`);
}

async function receivePush(serving: GitServing, route: GitRoute, sent: AsyncIterable<Buffer>): Promise<boolean> {
  const { head, body } = await readPushHead(sent);
  const refusal = head.commands.length === 0 ? null : await serving.allowUpdate(head.commands);
  if (refusal === null) return run(serving, route, body);
  await drain(body);
  serving.response.writeHead(200, { "content-type": "application/x-git-receive-pack-result", ...NOT_CACHED });
  serving.response.write(toRefusal(head, refusal));
  return false;
}

/** A client that is still sending would see a broken connection instead of the words. */
async function drain(body: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of body);
}

async function run(
  serving: GitServing,
  route: GitRoute,
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<boolean> {
  await runBackend({ ...serving, headers: serving.request.headers, route, body });
  const updated = route.service === "git-receive-pack" && route.step === "exchange";
  if (updated) await serving.onUpdated?.();
  return updated;
}

const NOT_CACHED = { "cache-control": "no-cache, max-age=0, must-revalidate" };

/** Git prints a plain-text body after `remote:`. Once bytes have gone out, only breaking off says that they are not all. */
function answerFailure(response: ServerResponse, failure: TeamMemoryError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const retry = failure.row.retryable ? { "retry-after": "5" } : {};
  response.writeHead(failure.row.status, {
    "content-type": "text/plain; charset=utf-8",
    connection: "close",
    ...NOT_CACHED,
    ...retry,
  });
  response.write(`${isTeamMemoryError(failure) ? failure.message : "could not serve git"}\n`);
}
