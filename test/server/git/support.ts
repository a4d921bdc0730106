import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findGitBinary, type GitBinary } from "../../../server/git/git-binary.ts";
import { type GitServed, type GitServing, serveGitRequest } from "../../../server/git/http-backend.ts";
import { type EmbeddedRepository, openEmbeddedRepository } from "../../../server/git/open-embedded.ts";
import type { CommitRequest, GitId, GitPort } from "../../../server/git/port.ts";
import { tempDir } from "../../support/temp-dir.ts";

export const BASE = "refs/heads/main";
const ANN = { name: "Ann", email: "ann@example.org" };
export const COMMIT_DEFAULTS = {
  author: ANN,
  committer: ANN,
  at: new Date("2026-03-05T10:00:00Z"),
  message: "a change",
};

/** Git of this machine; tests that need it fail where there is none. */
export async function theGit(): Promise<GitBinary> {
  const git = await findGitBinary(undefined);
  if (git === null) throw new Error("these tests need git");
  return git;
}

export async function openFresh(git: GitBinary | null = null): Promise<EmbeddedRepository> {
  return openEmbeddedRepository({ folder: join(await tempDir(), "data"), git, baseRef: BASE });
}

export async function baseOf(git: GitPort): Promise<GitId> {
  const base = await git.readRef(BASE);
  if (base === null) throw new Error("no base");
  return base;
}

/** A commit of texts by path (null removes) upon `parent`; no reference moves. */
export async function commitTexts(
  git: GitPort,
  parent: GitId,
  texts: Readonly<Record<string, string | null>>,
  request: Partial<CommitRequest> = {},
): Promise<GitId> {
  const changes = [];
  for (const [path, text] of Object.entries(texts)) {
    changes.push({ path, blob: text === null ? null : await git.writeBlob(Buffer.from(text)) });
  }
  return git.commitChanges({ ...COMMIT_DEFAULTS, parents: [parent], changes, ...request });
}

export interface Served {
  readonly url: string;
  /** What each request came to, in order. */
  readonly served: GitServed[];
}

/** `git` over HTTP on loopback, as a route of the service would serve it. */
export async function serveOverHttp(
  serving: Pick<GitServing, "binary" | "gitDir"> & Partial<GitServing>,
): Promise<Served> {
  const served: GitServed[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    void serveGitRequest({
      remoteUser: "ann",
      allowUpdate: () => null,
      ...serving,
      request: {
        method: request.method ?? "",
        path: url.pathname.replace("/git/memory.git", ""),
        query: url.search.slice(1),
        headers: request.headers,
        body: request,
      },
      response,
    }).then((outcome) => served.push(outcome));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/git/memory.git`, served };
}
