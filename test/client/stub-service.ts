/** A stand-in for the service that serves what a test gives it, and that can be made to misbehave. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { ProposalOutcome, ProposalRequest } from "../../shared/protocol/schemas.ts";
import { blobIdOf, treeIdOf } from "../../shared/sync/git-ids.ts";

export const PROJECT = "github.com/acme/shop";

export interface StubService {
  readonly url: string;
  /** What is served, by key. */
  readonly memories: Map<string, string>;
  readonly outcomes: Map<string, ProposalOutcome>;
  readonly puts: { readonly id: string; readonly request: ProposalRequest }[];
  /** Requests as they came: method and path. */
  readonly requests: string[];
  /** Takes a request over; true: it was answered, or never will be. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  /** Changes the answer to a pull before it is sent. */
  tamper: ((body: Record<string, unknown>) => unknown) | null;
  /** What a PUT is answered with; the proposal, accepted, where it gives null. */
  answerPut: ((id: string, request: ProposalRequest) => { status: number; body: unknown } | null) | null;
}

export async function startStubService(memories: Record<string, string> = {}): Promise<StubService> {
  const stub: Omit<StubService, "url"> & { url: string } = {
    url: "",
    memories: new Map(Object.entries(memories)),
    outcomes: new Map(),
    puts: [],
    requests: [],
    intercept: null,
    tamper: null,
    answerPut: null,
  };
  const served = new Map<string, ReadonlyMap<string, string>>();
  const server = createServer((request, response) => {
    stub.requests.push(`${request.method} ${request.url}`);
    if (stub.intercept?.(request, response) === true) return;
    if (request.method === "PUT") void answerPut(stub, request, response);
    else if (request.url?.includes("/proposals/") === true) answerProposal(stub, request.url, response);
    else answerPull(stub, served, { request, response });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  stub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return stub;
}

type Exchange = { request: IncomingMessage; response: ServerResponse };

function answerPull(
  stub: Omit<StubService, "url">,
  served: Map<string, ReadonlyMap<string, string>>,
  { request, response }: Exchange,
): void {
  const query = new URL(request.url ?? "", "http://stub").searchParams;
  const tree = treeOf(stub.memories);
  const outcomes = Object.fromEntries(
    (query.get("proposals") ?? "").split(",").flatMap((id) => {
      const outcome = stub.outcomes.get(id);
      return outcome === undefined ? [] : [[id, outcome]];
    }),
  );
  const etag = `"${blobIdOf(tree + JSON.stringify(outcomes))}"`;
  if (request.headers["if-none-match"] === etag) return void response.writeHead(304, { etag }).end();
  const since = served.get(query.get("since") ?? "");
  served.set(tree, new Map(stub.memories));
  const body = toBody(stub.memories, since, tree);
  sendJson(response, 200, stub.tamper === null ? body : stub.tamper(body), {
    etag,
    "team-memory-outcomes": JSON.stringify(outcomes),
  });
}

function toBody(
  memories: ReadonlyMap<string, string>,
  since: ReadonlyMap<string, string> | undefined,
  tree = treeOf(memories),
): Record<string, unknown> {
  const changed = [...memories].filter(([key, text]) => since?.get(key) !== text);
  return {
    project: PROJECT,
    tree,
    revision: "1".repeat(40),
    full: since === undefined,
    upserts: changed.map(([key, text]) => toUpsert(key, text)),
    removals: [...(since?.keys() ?? [])].filter((key) => !memories.has(key)),
    quarantined: 0,
  };
}

function toUpsert(key: string, text: string) {
  const name = /^name: (.*)$/m.exec(text)?.[1] ?? key;
  const face = { name, description: `About ${name}`, type: "feedback", changedAt: "2026-03-05T10:00:00Z" };
  return { key, blob: blobIdOf(text), text, ...face, changedBy: "Ana" };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response
    .writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
    .end(JSON.stringify(body));
}

async function answerPut(stub: Omit<StubService, "url">, request: IncomingMessage, response: ServerResponse) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const sent = JSON.parse(Buffer.concat(chunks).toString()) as ProposalRequest;
  const id = request.url?.split("/").at(-1) ?? "";
  stub.puts.push({ id, request: sent });
  const answer = stub.answerPut?.(id, sent) ?? null;
  if (answer !== null) sendJson(response, answer.status, answer.body);
  else sendJson(response, 200, toProposal(id, sent));
}

/** As it was last sent, and as a reviewer has decided. */
function answerProposal(
  { puts, outcomes, memories }: Omit<StubService, "url">,
  path: string,
  response: ServerResponse,
): void {
  const id = path.split("/").at(-1) ?? "";
  const sent = puts.filter((put) => put.id === id).at(-1);
  if (sent === undefined) {
    const error = { code: "not_found", message: `Could not find proposal ${id}`, details: {} };
    sendJson(response, 404, { error });
    return;
  }
  const outcome = outcomes.get(id);
  const proposal = toProposal(id, sent.request, outcome?.state);
  const changes = proposal.changes.map((change) =>
    outcome?.rejected.includes(change.key) === true ? { ...change, state: "rejected" } : change,
  );
  const diff = sent.request.changes.map(({ key, text }) => ({ key, before: memories.get(key) ?? null, after: text }));
  sendJson(response, 200, { ...proposal, changes, reason: outcome?.reason ?? null, diff, checks: [] });
}

function toProposal(id: string, { seq, changes }: ProposalRequest, state = "open") {
  return {
    id,
    project: PROJECT,
    state,
    seq,
    by: "Ana",
    title: "",
    createdAt: "2026-03-05T10:00:00Z",
    updatedAt: "2026-03-05T10:00:00Z",
    branch: `team-memory/${id}`,
    head: "2".repeat(40),
    url: `http://stub/review/${id}`,
    reason: null,
    changes: changes.map(({ key, baseBlob, text }) => ({
      key,
      kind: "added",
      baseBlob,
      blob: text === null ? null : blobIdOf(text),
      state: "proposed",
    })),
    conflicts: [],
  };
}

function treeOf(memories: ReadonlyMap<string, string>): string {
  return treeIdOf([...memories].map(([key, text]) => ({ key, blob: blobIdOf(text) })));
}
