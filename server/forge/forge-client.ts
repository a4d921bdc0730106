/**
 * Requests to a forge's API: bounded in time and size, writes one after the other, and none at all while the forge asks for
 * patience. Redirects are not followed: the token would go where the operator has not sent it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { toRemoteWords } from "../git/remote/remote-words.ts";
import type { ForgeToken } from "./forge-token.ts";
import { readPatience } from "./read-patience.ts";

export interface ForgeClientOptions {
  readonly apiUrl: string;
  readonly token: ForgeToken;
  /** Headers that carry the token, and what else the forge wants to see. */
  readonly headers: (token: string) => Readonly<Record<string, string>>;
  /** The rest between two writes. */
  readonly writeIntervalMs: number;
  readonly clock: () => number;
}

export type ForgeQuery = Readonly<Record<string, string | number>>;
type Method = "GET" | "POST" | "PUT" | "PATCH";

export interface ForgeClient {
  /** Below the API's address. @throws TeamMemoryError remote_unreachable, remote_denied, remote_refused */
  get(path: string, query?: ForgeQuery): Promise<unknown>;
  /** Page after page while there is more and `isWanted` says so of the last one. */
  pages(path: string, query: ForgeQuery, paging: Paging): Promise<readonly unknown[]>;
  write(method: Exclude<Method, "GET">, path: string, body: unknown): Promise<unknown>;
}

export interface Paging {
  /** The name of the parameter for the size of a page, and the largest that the forge gives. */
  readonly size: readonly [name: string, count: number];
  readonly isWanted?: (page: readonly unknown[]) => boolean;
}

export function buildForgeClient(options: ForgeClientOptions): ForgeClient {
  let patientUntilMs = 0;
  let lastWrite: Promise<unknown> = Promise.resolve();

  async function call(method: Method, path: string, body?: unknown): Promise<unknown> {
    const now = options.clock();
    if (now < patientUntilMs) throw busy(patientUntilMs);
    const token = await options.token.get();
    let response = await send(method, path, { body, token });
    if (response.status === 401 && (await options.token.renew(token))) {
      response = await send(method, path, { body, token: await options.token.get() });
    }
    const until = readPatience(response, options.clock());
    if (until !== null) patientUntilMs = until;
    if (until !== null && !response.ok) throw busy(until);
    const text = await readText(response);
    if (!response.ok) throw toError(response.status, text);
    return text === "" ? null : parseJson(text);
  }

  async function send(method: Method, path: string, { body, token }: { body: unknown; token: string }) {
    try {
      return await fetch(`${options.apiUrl}${path}`, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(LIMITS.forgeRequestTimeoutMs),
        headers: {
          accept: "application/json",
          "user-agent": "team-memory",
          ...options.headers(token),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw unreachable(reasonOf(error));
    }
  }

  return {
    get: (path, query) => call("GET", withQuery(path, query)),
    pages: async (path, query, { size: [name, count], isWanted = () => true }) => {
      const rows: unknown[] = [];
      for (let page = 1; page <= LIMITS.forgePagesMax; page += 1) {
        const answer = await call("GET", withQuery(path, { ...query, [name]: count, page }));
        if (!Array.isArray(answer)) throw unreadable();
        rows.push(...answer);
        if (answer.length < count || !isWanted(answer)) break;
      }
      return rows;
    },
    write: (method, path, body) => {
      const written = lastWrite.then(() => call(method, path, body));
      // Whatever became of it, the next one waits a little: forges count what makes notifications.
      lastWrite = written.catch(() => undefined).then(() => sleep(options.writeIntervalMs, undefined, { ref: false }));
      return written;
    },
  };
}

function withQuery(path: string, query: ForgeQuery = {}): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const text = new URLSearchParams(pairs).toString();
  return text === "" ? path : `${path}?${text}`;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.length;
      if (sizeBytes > LIMITS.forgeAnswerSizeBytesMax) throw unreadable();
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof TeamMemoryError ? error : unreachable(reasonOf(error));
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

function toError(status: number, text: string): TeamMemoryError {
  const words = wordsOf(text);
  const said = `the forge answered ${status}${words === "" ? "" : `: ${words}`}`;
  if (status >= 500 || status === 408) return unreachable(said);
  const hint = status >= 300 && status < 400 ? "; redirects are not followed, name the new address" : "";
  const code = status === 401 || status === 403 || status === 404 || hint !== "" ? "remote_denied" : "remote_refused";
  return new TeamMemoryError(code, `Could not use the forge: ${said}${hint}`, { details: { status, words } });
}

/** What its JSON says for people; a page of HTML says nothing. */
function wordsOf(text: string): string {
  try {
    const { message, error, errors } = Object(JSON.parse(text)) as Record<string, unknown>;
    const parts = [message, error, errors].filter((part) => part !== undefined && part !== null);
    return toRemoteWords(parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join("; "));
  } catch {
    return "";
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "the forge did not answer in time";
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return `the connection to the forge failed${typeof cause?.code === "string" ? ` (${cause.code})` : ""}`;
}

function busy(untilMs: number): TeamMemoryError {
  const message = `Could not use the forge: it asks for no more requests until ${new Date(untilMs).toISOString()}`;
  return new TeamMemoryError("remote_unreachable", message, { details: { retryAtMs: untilMs } });
}

function unreachable(why: string): TeamMemoryError {
  return new TeamMemoryError("remote_unreachable", `Could not use the forge: ${why}`);
}

function unreadable(): TeamMemoryError {
  return unreachable("its answer is too long, or not what it should be");
}
