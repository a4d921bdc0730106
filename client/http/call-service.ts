import type { IncomingHttpHeaders } from "node:http";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { PROTOCOL_HEADER, PROTOCOL_VERSION } from "../../shared/protocol/version.ts";
import { askIfChanged, isPlainQuestion } from "./ask-if-changed.ts";
import { assertSafeUrl } from "./assert-safe-url.ts";
import type { Call, Lookup } from "./call.ts";
import { startDeadline } from "./deadline.ts";
import { exchange } from "./exchange.ts";
import { decodeBody, readBody } from "./read-body.ts";
import { resolveHost } from "./resolve-host.ts";
import { toCallError } from "./to-call-error.ts";

/**
 * One call to the service over Node's own http, with one deadline over all of it: name, connection, headers and body. Every
 * size is bounded, redirects are refused (a token would follow them), and nothing that a stranger's server sends gets
 * further than a typed error. What only some calls need is loaded by them: the session-start hook makes one call, and most
 * of its time is loading.
 */
export interface ServiceAddress {
  readonly url: string;
  readonly token: string | null;
  /** Plain http to another machine was allowed by the user. */
  readonly insecure: boolean;
}

export interface ServiceRequest {
  readonly service: ServiceAddress;
  readonly method: "GET" | "PUT" | "POST";
  /** From the service's root, percent-encoded, with its query: `/v1/projects/…`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** For the whole call, however long it is silent; LIMITS.responseTimeoutMs where left out. */
  readonly timeoutMs?: number;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decoded: never compressed. */
  readonly body: Buffer;
}

/**
 * @throws TeamMemoryError `unreachable`, `timeout`, `insecure_url`, `bad_response` (a redirect, an oversize, truncated or
 * undecodable answer). Statuses of failure are answers: see expectJson.
 */
export async function callService(request: ServiceRequest): Promise<ServiceAnswer> {
  const url = assertSafeUrl(request.service, request.path);
  const timeoutMs = request.timeoutMs ?? LIMITS.responseTimeoutMs;
  const deadline = startDeadline(timeoutMs);
  const call = toCall(request, { url, deadline, sending: { isSent: false } });
  try {
    return await send(call, await resolveHost(url.hostname, deadline));
  } catch (error) {
    throw toCallError(error, { origin: url.origin, isLate: deadline.isOver(), timeoutMs, ...call.sending });
  } finally {
    deadline.end();
  }
}

function toCall(request: ServiceRequest, begun: Pick<Call, "url" | "deadline" | "sending">): Call {
  const { method, timeoutMs } = request;
  const body = request.body === undefined ? null : Buffer.from(JSON.stringify(request.body));
  // A change may take its time, for the service answers once it is in git.
  const silenceMs = method === "GET" && timeoutMs === undefined ? LIMITS.answerTimeoutMs : null;
  return { ...begun, method, headers: toHeaders(request, body), body, silenceMs };
}

async function send(call: Call, lookup: Lookup | null): Promise<ServiceAnswer> {
  const asked = isPlainQuestion(call) ? await askIfChanged(call, lookup) : null;
  if (asked !== null && "answer" in asked)
    return { ...asked.answer, body: decodeBody(asked.answer.headers, asked.answer.body) };
  const answer = await exchange(call, asked ?? { lookup });
  const { statusCode: status = 0, headers } = answer;
  if (status >= 300 && status < 400 && status !== 304) throw redirected(status);
  return { status, headers, body: decodeBody(headers, await readBody(answer, call.deadline)) };
}

function toHeaders({ service, headers }: ServiceRequest, body: Buffer | null): Record<string, string> {
  return {
    accept: "application/json",
    "accept-encoding": "gzip",
    [PROTOCOL_HEADER]: PROTOCOL_VERSION,
    ...(service.token === null ? {} : { authorization: `Bearer ${service.token}` }),
    ...(body === null ? {} : { "content-type": "application/json; charset=utf-8", "content-length": `${body.length}` }),
    ...headers,
  };
}

function redirected(status: number): TeamMemoryError {
  return new TeamMemoryError("bad_response", `The service answered with a redirect: ${status}`, {
    details: { status },
  });
}
