/** A forge: a real HTTP server with an API in front of a real `git http-backend`. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { ForgeKind } from "../../../server/forge/forge.ts";
import { git } from "../git.ts";
import { parsePrinted, serveGit } from "../git-host.ts";
import { type OnEnd, scratchFolder } from "../teardown.ts";
import { type Dialect, type ForgeState, gitea, github, gitlab, REPOSITORY, say } from "./dialects.ts";
import { buildPullRequests, type FakePullRequest, ForgeRefusal, type MergeCall } from "./pull-requests.ts";

export const FORGE_TOKEN = "forge-token-not-for-anyone";

const DIALECTS: Readonly<Record<ForgeKind, { readonly api: string; readonly dialect: Dialect }>> = {
  github: { api: "/api/v3", dialect: github },
  gitea: { api: "/api/v1", dialect: gitea },
  gitlab: { api: "/api/v4", dialect: gitlab },
};

export interface FakeForge extends ForgeState {
  readonly kind: ForgeKind;
  /** Of the git repository. */
  readonly url: string;
  readonly apiUrl: string;
  readonly gitDir: string;
  /** `METHOD path` of each call of the API, in order. */
  readonly calls: string[];
  /** Answers in the API's place where it gives one. */
  before: (call: string) => { status: number; headers?: Record<string, string>; body?: unknown } | null;
  one(branch: string): FakePullRequest;
  /** As a person does on its pages. */
  closeInBrowser(request: FakePullRequest, word: string | null): void;
  mergeInBrowser(request: FakePullRequest, call?: Partial<MergeCall>): Promise<void>;
}

export async function startForge(kind: ForgeKind, onEnd: OnEnd): Promise<FakeForge> {
  const gitDir = join(await scratchFolder(onEnd), REPOSITORY.split("/")[0] ?? "", "memory.git");
  await git(dirname(dirname(gitDir)), ["init", "-q", "--bare", "-b", "main", gitDir]);
  await git(gitDir, ["config", "http.receivepack", "true"]);
  const { api, dialect } = DIALECTS[kind];
  const server = createServer((request, response) => void answer(forge, request, response, { api, dialect }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests = buildPullRequests(gitDir);
  const forge: FakeForge = {
    ...requests,
    ...{ kind, gitDir, calls: [], labels: new Set(), mergeDelayMs: 0, deletesBranches: true },
    ...{ url: `${origin}/${REPOSITORY}.git`, apiUrl: `${origin}${api}`, pageUrl: `${origin}/${REPOSITORY}` },
    before: () => null,
    one: (branch) => {
      const found = requests.all.filter((request) => request.branch === branch);
      const [only] = found;
      if (only === undefined || found.length > 1) throw new Error(`${found.length} pull requests of ${branch}`);
      return only;
    },
    closeInBrowser: (request, word) => {
      if (word !== null) say(request, "rita", word, kind !== "gitlab");
      requests.touch(request, { state: "closed" });
    },
    mergeInBrowser: async (request, call) => {
      await requests.catchUp();
      await requests.merge(request, { message: "Merged in the browser", ...call });
    },
  };
  return forge;
}

interface Api {
  readonly api: string;
  readonly dialect: Dialect;
}

async function answer(forge: FakeForge, request: IncomingMessage, response: ServerResponse, { api, dialect }: Api) {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (!url.pathname.startsWith(`${api}/`)) return answerGit(forge, request, response);
  const path = url.pathname.slice(api.length);
  const call = `${request.method} ${path}`;
  forge.calls.push(call);
  const { status, headers, body } = await answerApi(forge, request, { url, path, call, dialect });
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body ?? null));
}

interface Asked {
  readonly url: URL;
  readonly path: string;
  readonly call: string;
  readonly dialect: Dialect;
}

async function answerApi(forge: FakeForge, request: IncomingMessage, { url, path, call, dialect }: Asked) {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const early = forge.before(call);
  if (early !== null) return { headers: {}, body: {}, ...early };
  if (!isKnown(forge.kind, request)) return { status: 401, headers: {}, body: { message: "Unauthorized" } };
  const text = Buffer.concat(chunks).toString();
  const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  try {
    if (request.method === "GET" || path.endsWith("/merge")) await forge.catchUp();
    return {
      headers: {},
      ...(await dialect(forge, { method: request.method ?? "", path, query: url.searchParams, body })),
    };
  } catch (error) {
    if (error instanceof ForgeRefusal) return { status: error.status, headers: {}, body: error.words };
    return { status: 500, headers: {}, body: { message: String(error) } };
  }
}

function isKnown(kind: ForgeKind, { headers }: IncomingMessage): boolean {
  if (kind === "gitlab") return headers["private-token"] === FORGE_TOKEN;
  return headers.authorization === `${kind === "github" ? "Bearer" : "token"} ${FORGE_TOKEN}`;
}

function answerGit(forge: FakeForge, request: IncomingMessage, response: ServerResponse): void {
  const pair = Buffer.from((request.headers.authorization ?? "").replace(/^Basic /, ""), "base64").toString();
  if (pair.split(":")[1] !== FORGE_TOKEN) {
    response.writeHead(401, { "www-authenticate": "Basic" }).end();
    return;
  }
  request.url = (request.url ?? "").replace("/acme/", "/");
  serveGit(forge.gitDir, request, (printed) => {
    const { status, headers, body } = parsePrinted(printed);
    response.writeHead(status, headers).end(body);
  });
}
