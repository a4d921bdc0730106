import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from "node:http";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { PROTOCOL_HEADER, PROTOCOL_VERSION } from "../../shared/protocol/version.ts";
import { toSeconds } from "../to-seconds.ts";
import { assertSafeUrl } from "./assert-safe-url.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { decodeBody, readBody } from "./read-body.ts";
import { type HostAddress, resolveHost } from "./resolve-host.ts";
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
  const sending = { isSent: false };
  try {
    const answer = await exchange({ url, request, deadline, sending });
    const { statusCode: status = 0, headers } = answer;
    if (status >= 300 && status < 400 && status !== 304) throw redirected(status);
    return { status, headers, body: decodeBody(headers, await readBody(answer, deadline)) };
  } catch (error) {
    throw toCallError(error, { origin: url.origin, isLate: deadline.isOver(), timeoutMs, ...sending });
  } finally {
    deadline.end();
  }
}

interface Exchange {
  readonly url: URL;
  readonly request: ServiceRequest;
  readonly deadline: Deadline;
  /** Whether any byte of the request can have left. */
  readonly sending: { isSent: boolean };
}

async function exchange({ url, request, deadline, sending }: Exchange): Promise<IncomingMessage> {
  const body = request.body === undefined ? null : Buffer.from(JSON.stringify(request.body));
  const isSecure = url.protocol === "https:";
  const open = isSecure ? process.getBuiltinModule("node:https").request : requestHttp;
  const addresses = await resolveHost(url.hostname, deadline);
  const options: RequestOptions = {
    method: request.method,
    headers: toHeaders(request, body),
    agent: false,
    ...(addresses === null ? {} : { lookup: answerWith(addresses) }),
  };
  const call = open(url, options);
  const answer = new Promise<IncomingMessage>((resolve, reject) => call.on("response", resolve).on("error", reject));
  call.once("socket", (socket) => {
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      sending.isSent = true;
    });
  });
  limitSilence(call, request, url.origin);
  call.end(body ?? undefined);
  return await deadline.during(answer, () => call.destroy());
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

/**
 * A black hole answers neither yes nor no, and a service that hangs says nothing: neither may use up the time of a call that
 * has a long one by default. A change may take its time, for the service answers once it is in git.
 */
function limitSilence(call: ClientRequest, { method, timeoutMs }: ServiceRequest, origin: string): void {
  const connecting = giveUp(call, LIMITS.connectTimeoutMs, `Could not connect to ${origin}`);
  call.once("socket", (socket) => socket.once("connect", () => clearTimeout(connecting)));
  if (method !== "GET" || timeoutMs !== undefined) return;
  const answering = giveUp(call, LIMITS.answerTimeoutMs, `No answer from ${origin}`);
  call.once("response", () => clearTimeout(answering));
}

function giveUp(call: ClientRequest, afterMs: number, what: string): NodeJS.Timeout {
  const failure = () => new TeamMemoryError("timeout", `${what} within ${toSeconds(afterMs)}`);
  const timer = setTimeout(() => call.destroy(failure()), afterMs);
  call.once("close", () => clearTimeout(timer));
  return timer;
}

type Lookup = NonNullable<RequestOptions["lookup"]>;

function answerWith(addresses: readonly HostAddress[]): Lookup {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}

function redirected(status: number): TeamMemoryError {
  return new TeamMemoryError("bad_response", `The service answered with a redirect: ${status}`, {
    details: { status },
  });
}
