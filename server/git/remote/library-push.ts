/**
 * The library's push, for a host that does not take the form of ours: one reference a request, a new look at the remote
 * before each, and ten times slower, but in the words that many hosts have seen. The lease is the look itself: what it sends
 * as old is what it has just been told, and it is called off where that is not what is expected.
 */
import * as disk from "node:fs/promises";
import * as isomorphicGit from "isomorphic-git";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { RefUpdate } from "../port.ts";
import { errorCodeOf } from "../translate-git-error.ts";
import type { HttpClient } from "./http-client.ts";
import { readAll } from "./http-client.ts";
import { NO_ID } from "./receive-pack.ts";
import { unreachable } from "./unreachable.ts";

interface LibraryPush {
  readonly gitDir: string;
  readonly url: string;
  readonly http: HttpClient;
}

/** `why`: null where it was taken. */
export interface LibraryReport {
  readonly why: string | null;
  /** What hooks printed, raw. */
  readonly said: string;
}

/** Throws `remote_unreachable`, `remote_denied` and what else a request does. */
export async function pushByLibrary(
  push: LibraryPush,
  { ref, expectedOld, new: id }: RefUpdate,
): Promise<LibraryReport> {
  const said: string[] = [];
  try {
    await isomorphicGit.push({
      fs: READ_ONLY,
      cache: {},
      gitdir: push.gitDir,
      url: push.url,
      http: { request: (request) => ask(push, request) },
      ref: id ?? expectedOld ?? NO_ID,
      remoteRef: ref,
      delete: id === null,
      force: true,
      onPrePush: ({ remoteRef }) => remoteRef.oid === (expectedOld ?? NO_ID),
      onMessage: (line) => void said.push(line),
    });
    return { why: null, said: said.join("\n") };
  } catch (error) {
    return { why: toRefusal(error, ref), said: said.join("\n") };
  }
}

/** It would note the remote's references beside the mirror's own, which follow the remote by themselves. */
const READ_ONLY: isomorphicGit.PromiseFsClient = {
  promises: {
    ...disk,
    writeFile: async () => {},
    mkdir: async () => {},
    unlink: async () => {},
    rmdir: async () => {},
  },
};

async function ask(
  { url, http }: LibraryPush,
  request: isomorphicGit.GitHttpRequest,
): Promise<isomorphicGit.GitHttpResponse> {
  const { headers = {}, body } = request;
  const parts: Uint8Array[] = [];
  for await (const part of body ?? []) parts.push(part);
  const answer = http(
    {
      path: request.url.slice(url.length),
      accept: headers["accept"] ?? "*/*",
      agent: `git/isomorphic-git-${isomorphicGit.version()}`,
      body: body === undefined ? null : { type: headers["content-type"] ?? "", bytes: Buffer.concat(parts) },
    },
    LIMITS.remoteListSizeBytesMax,
  );
  const bytes = await readAll(answer);
  const type = `application/x-git-receive-pack-${body === undefined ? "advertisement" : "result"}`;
  return {
    url: request.url,
    statusCode: 200,
    statusMessage: "OK",
    headers: { "content-type": type },
    body: once(bytes),
  };
}

async function* once(bytes: Uint8Array): AsyncIterableIterator<Uint8Array> {
  yield bytes;
}

/** What the remote says of the reference; what is no answer of the remote is thrown. */
function toRefusal(error: unknown, ref: string): string {
  if (error instanceof TeamMemoryError) throw error;
  if (error instanceof isomorphicGit.Errors.UserCanceledError) return "stale info";
  if (error instanceof isomorphicGit.Errors.GitPushError) {
    const { refs, error: whole } = error.data.result;
    return refs[ref]?.error ?? whole ?? "";
  }
  throw unreachable(`the library could not push to it (${errorCodeOf(error) ?? "unknown"})`);
}
