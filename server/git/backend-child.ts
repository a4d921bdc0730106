import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { basename, dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { parseCgiHead } from "./cgi-response.ts";
import { HIDDEN_REF } from "./create-repository.ts";
import { type GitBinary, gitEnvironment, SAFE_FLAGS } from "./git-binary.ts";
import type { GitRoute } from "./git-route.ts";

interface Run {
  readonly binary: GitBinary;
  readonly gitDir: string;
  readonly route: GitRoute;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Buffer> | Iterable<Buffer>;
  readonly response: ServerResponse;
  readonly remoteUser: string;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Of this process; each child is a process tree and a pack in memory. */
let childrenRunning = 0;

/**
 * One request through a child: the body streams in, headers and body of its answer stream out, the response is left open.
 * The child's whole process group ends when the client goes away or time is up. Throws `unavailable` when enough
 * children run already, `timeout`, `internal`; and what reading the body throws.
 */
export async function runBackend(run: Run): Promise<void> {
  if (childrenRunning >= LIMITS.gitChildrenMax) {
    throw new TeamMemoryError("unavailable", "could not serve git: too many are fetching or pushing at once");
  }
  childrenRunning += 1;
  try {
    await exchange(run);
  } finally {
    childrenRunning -= 1;
  }
}

async function exchange(run: Run): Promise<void> {
  const child = spawn(run.binary.path, [...SAFE_FLAGS, ...SERVING_FLAGS, "http-backend"], {
    env: toCgiEnvironment(run),
    cwd: run.gitDir,
    // A group of its own, so that the children of the child end with it.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  const stop = stopWhenLeftOrLate(run.response);
  try {
    const streams = [feed(run.body, child, stop.signal), answer(child, run.response, stop.signal), ended];
    await Promise.race([Promise.all(streams), rejectWhenAborted(stop.signal)]);
  } catch (error) {
    endGroup(child);
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    stop.clear();
  }
}

function stopWhenLeftOrLate(response: ServerResponse): { signal: AbortSignal; clear: () => void } {
  const stop = new AbortController();
  const late = () => stop.abort(new TeamMemoryError("timeout", "could not finish serving git in time"));
  const left = () =>
    stop.abort(new TeamMemoryError("unavailable", "could not finish serving git: the client has left"));
  const timer = setTimeout(late, LIMITS.gitRequestTimeoutMs);
  response.once("close", left);
  const clear = () => {
    clearTimeout(timer);
    response.off("close", left);
  };
  return { signal: stop.signal, clear };
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

/** A child that ends before it has read everything has its reasons; the rest is read and dropped, so that they are heard. */
async function feed(body: Run["body"], child: Child, signal: AbortSignal): Promise<void> {
  const { stdin } = child;
  const over = new AbortController();
  child.once("exit", () => over.abort());
  stdin.on("error", () => over.abort());
  const drained = () => once(stdin, "drain", { signal: AbortSignal.any([signal, over.signal]) });
  for await (const chunk of body) {
    if (!over.signal.aborted && !stdin.write(chunk)) await drained().catch(() => signal.throwIfAborted());
  }
  stdin.end();
}

async function answer(child: Child, response: ServerResponse, signal: AbortSignal): Promise<void> {
  let waiting: Buffer | null = Buffer.alloc(0);
  for await (const chunk of child.stdout) {
    let body: Buffer = chunk;
    if (waiting !== null) {
      waiting = Buffer.concat([waiting, chunk]);
      const found = parseCgiHead(waiting);
      if (found === null) continue;
      response.writeHead(found.head.status, found.head.headers);
      body = waiting.subarray(found.bodyAt);
      waiting = null;
    }
    if (!response.write(body)) await once(response, "drain", { signal });
  }
  if (waiting !== null) throw new TeamMemoryError("internal", "could not serve git: git http-backend gave no answer");
}

/** First a wish, so that git removes what it was receiving; then an end. */
function endGroup(child: Child): void {
  const { pid } = child;
  if (pid === undefined) return;
  signalGroup(pid, "SIGTERM");
  setTimeout(() => signalGroup(pid, "SIGKILL"), LIMITS.gitEndGraceMs).unref();
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in the group.
  }
}

/** Over the repository's own configuration: what must hold for a push whoever edited that file. */
const SERVING_FLAGS: readonly string[] = [
  "http.receivepack=true",
  "http.uploadpack=true",
  "http.getanyfile=false",
  "receive.denyNonFastForwards=true",
  "receive.autogc=false",
  "receive.fsckObjects=true",
  "receive.advertisePushOptions=false",
  `receive.maxInputSize=${LIMITS.gitPushSizeBytesMax}`,
  `transfer.hideRefs=${HIDDEN_REF}`,
  "uploadpack.allowFilter=false",
  "uploadpack.allowAnySHA1InWant=false",
  "core.fsync=committed,derived-metadata,reference",
].flatMap((setting) => ["-c", setting]);

/** A request in the words of CGI. The length stays unsaid: the body may have been decoded, and its end is seen. */
function toCgiEnvironment({ binary, gitDir, route, headers, remoteUser }: Run): Record<string, string> {
  const protocol = String(headers["git-protocol"] ?? "");
  const advertises = route.step === "advertise";
  return {
    ...gitEnvironment(binary),
    GIT_PROJECT_ROOT: dirname(gitDir),
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: `/${basename(gitDir)}/${advertises ? "info/refs" : route.service}`,
    REQUEST_METHOD: advertises ? "GET" : "POST",
    QUERY_STRING: advertises ? `service=${route.service}` : "",
    CONTENT_TYPE: advertises ? "" : `application/x-${route.service}-request`,
    REMOTE_USER: remoteUser.replace(/\p{Cc}/gu, ""),
    ...(/^version=\d$/u.test(protocol) ? { GIT_PROTOCOL: protocol } : {}),
  };
}
