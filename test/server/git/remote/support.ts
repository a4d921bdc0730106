/** A git remote as teams have them: a bare repository with hooks behind `git http-backend` and Basic auth. */
import { chmod, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { TokenSource } from "../../../../server/git/remote/credentials.ts";
import type { HttpTimes } from "../../../../server/git/remote/http-client.ts";
import { openRemoteRepository, type RemoteRepository } from "../../../../server/git/remote/open-remote.ts";
import { git, gitEnvironment } from "../../../support/git.ts";
import { parsePrinted, serveGit } from "../../../support/git-host.ts";
import { mustRun } from "../../../support/run.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { BASE, theGit } from "../support.ts";

export const TOKEN = "tok-3f9a-not-for-anyone";

export interface RemoteServer {
  readonly url: string;
  readonly gitDir: string;
  /** `METHOD path` of each request, in order. */
  readonly requests: string[];
  token: string;
  /** Answers in the remote's place where it returns true. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Bytes of an answer's body that pass before the connection is cut. */
  cutAfter: (request: IncomingMessage) => number;
}

export async function startRemote(): Promise<RemoteServer> {
  const gitDir = join(await tempDir(), "memory.git");
  await git(dirname(gitDir), ["init", "-q", "--bare", "-b", "main", gitDir]);
  await git(gitDir, ["config", "http.receivepack", "true"]);
  const state = {
    gitDir,
    requests: [] as string[],
    token: TOKEN,
    before: () => false,
    cutAfter: () => Number.POSITIVE_INFINITY,
  };
  const remote: RemoteServer = Object.assign(state, { url: "" });
  const server = createServer((request, response) => {
    remote.requests.push(`${request.method} ${request.url?.replace("/memory.git", "")}`);
    if (remote.before(request, response)) return;
    if (tokenOf(request) !== remote.token) response.writeHead(401, { "www-authenticate": "Basic" }).end();
    else serveGit(gitDir, request, (printed) => answer(printed, remote.cutAfter(request), response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(remote, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/memory.git` });
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const pair = Buffer.from((headers.authorization ?? "").replace(/^Basic /, ""), "base64").toString();
  return pair.split(":")[1];
}

function answer(printed: Buffer, cutAfter: number, response: ServerResponse): void {
  const { status, headers, body } = parsePrinted(printed);
  response.writeHead(status, headers);
  if (cutAfter >= body.length) response.end(body);
  else response.write(body.subarray(0, cutAfter), () => response.destroy());
  if (cutAfter === 0) response.destroy();
}

export async function writeHook({ gitDir }: RemoteServer, name: string, script: string): Promise<void> {
  const path = join(gitDir, "hooks", name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

interface MirrorOptions {
  readonly folder?: string;
  readonly token?: TokenSource;
  readonly times?: HttpTimes;
  readonly withGit?: boolean;
  readonly baseRef?: string;
  /** By its path, through git, instead of over HTTP. */
  readonly byPath?: boolean;
}

export async function openMirror(remote: RemoteServer, options: MirrorOptions = {}): Promise<RemoteRepository> {
  const { token = { kind: "text", token: TOKEN } as const, times, withGit = true } = options;
  return openRemoteRepository({
    folder: options.folder ?? join(await tempDir(), "mirror"),
    git: withGit ? await theGit() : null,
    baseRef: BASE,
    remote: {
      url: options.byPath === true ? { kind: "file", url: remote.gitDir } : { kind: "http", url: remote.url },
      token,
      baseRef: options.baseRef ?? BASE,
      ...(times === undefined ? {} : { times }),
    },
  });
}

/** What a person with plain git does on the remote: a commit of one file upon `ref`; its id. */
export async function commitOnRemote(remote: RemoteServer, ref: string, path: string, text: string): Promise<string> {
  const parent = await refOnRemote(remote, ref);
  const data = (words: string) => `data ${Buffer.byteLength(words)}\n${words}\n`;
  const from = parent === null ? "" : `from ${parent}\n`;
  const commit = `commit ${ref}\ncommitter Ann <ann@example.org> ${Math.floor(Date.now() / 1000)} +0000\n${data(`write ${path}`)}`;
  const input = `${commit}${from}M 100644 inline ${path}\n${data(text)}`;
  const { gitDir } = remote;
  await mustRun("git", ["fast-import", "--quiet"], { cwd: gitDir, env: gitEnvironment(gitDir), input });
  return (await refOnRemote(remote, ref)) ?? "";
}

/** Nothing packs references there. */
export async function refOnRemote({ gitDir }: RemoteServer, ref: string): Promise<string | null> {
  const text = await readFile(join(gitDir, ref), "utf8").catch(() => null);
  return text?.trim() ?? null;
}

export const BRANCH = "refs/heads/team-memory/01HZZZZZZZZZZZZZZZZZZZZZZZ";

export async function startWithBase(): Promise<{ remote: RemoteServer; first: string }> {
  const remote = await startRemote();
  return { remote, first: await commitOnRemote(remote, BASE, "projects/p/team/a.md", "a\n") };
}

/** Whether it is the push itself, not the question before it. */
export function isPush({ method, url }: IncomingMessage): boolean {
  return method === "POST" && url?.endsWith("/git-receive-pack") === true;
}
