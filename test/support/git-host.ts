/** `git http-backend` behind a plain HTTP server, as a git host has it; no one is asked who they are. */
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { git, gitEnvironment } from "./git.ts";
import { type OnEnd, scratchFolder } from "./teardown.ts";

export interface GitHost {
  readonly url: string;
  readonly gitDir: string;
  /** When no git of it runs: what a client that went away had begun has ended. */
  atRest(): Promise<void>;
}

export async function startGitHost(onEnd: OnEnd): Promise<GitHost> {
  const gitDir = join(await scratchFolder(onEnd), "memory.git");
  await git(dirname(gitDir), ["init", "-q", "--bare", "-b", "main", gitDir]);
  await git(gitDir, ["config", "http.receivepack", "true"]);
  const running = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const ended = new Promise<void>((resolve) =>
      serveGit(gitDir, request, (printed) => resolve(answer(printed, response))),
    );
    running.add(ended);
    void ended.then(() => running.delete(ended));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const atRest = async () => {
    while (running.size > 0) await Promise.all(running);
  };
  return { gitDir, atRest, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/memory.git` };
}

/** What the program prints: a head as CGI has it, and the body. */
export function serveGit(gitDir: string, request: IncomingMessage, onPrinted: (printed: Buffer) => void): void {
  const url = new URL(request.url ?? "/", "http://localhost");
  const child = spawn("git", ["http-backend"], {
    env: {
      ...gitEnvironment(dirname(gitDir)),
      GIT_PROJECT_ROOT: dirname(gitDir),
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      REQUEST_METHOD: request.method ?? "",
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REMOTE_USER: "ann",
    },
  });
  child.stdin.on("error", () => {});
  request.pipe(child.stdin);
  // Where the client went away in the middle, too.
  request.on("close", () => child.stdin.end());
  const printed: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => printed.push(chunk));
  child.on("close", () => onPrinted(Buffer.concat(printed)));
}

function answer(printed: Buffer, response: ServerResponse): void {
  const { status, headers, body } = parsePrinted(printed);
  response.writeHead(status, headers).end(body);
}

export function parsePrinted(printed: Buffer) {
  const end = printed.indexOf("\r\n\r\n");
  const head = printed.toString("latin1", 0, end).split("\r\n");
  const headers = head.map((line) => line.split(": ") as [string, string]);
  const status = Number(headers.find(([name]) => name === "Status")?.[1].slice(0, 3) ?? 200);
  const kept = Object.fromEntries(headers.filter(([name]) => name !== "Status"));
  return { status, headers: kept, body: printed.subarray(end + 4) };
}
