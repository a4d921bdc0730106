/**
 * A remote by ssh, or on this disk, through the git program. Addresses and names stand after `--`, only the one protocol is
 * allowed, and nobody is asked anything: a host key that is not known or a locked key is a failure.
 */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { type GitBinary, type GitEnd, runGitToEnd } from "../git-binary.ts";
import type { GitId, RefUpdate } from "../port.ts";
import { toGitFailure } from "./git-failure.ts";
import type { RemoteUrl } from "./parse-remote-url.ts";
import { type SshFiles, toSshCommand } from "./ssh-command.ts";
import { type FetchRequest, LISTED_PREFIXES, type PushReport, type RemoteRefs, type Transport } from "./transport.ts";
import { unreachable } from "./unreachable.ts";

interface GitTransportOptions {
  readonly git: GitBinary;
  readonly gitDir: string;
  readonly url: RemoteUrl;
  readonly ssh: SshFiles;
}

export function buildGitTransport({ git, gitDir, url, ssh }: GitTransportOptions): Transport {
  const run = (args: readonly string[], input = "") =>
    runGitToEnd(git, [`--git-dir=${gitDir}`, ...args], {
      input,
      timeoutMs: LIMITS.remoteRequestTimeoutMs,
      outputSizeBytesMax: LIMITS.remoteListSizeBytesMax,
      allowProtocols: url.kind,
      env: { GIT_SSH_COMMAND: toSshCommand(ssh), GIT_SSH_VARIANT: "ssh" },
    }).catch(toRemoteError);

  return {
    listRefs: async () => {
      const patterns = LISTED_PREFIXES.map((prefix) => `${prefix}*`);
      return parseRefs(assertDone(url, await run(["ls-remote", "--refs", "--", url.url, ...patterns])));
    },
    fetch: async ({ wants }: FetchRequest) => {
      const names = [...wants.keys()].map((ref) => `${ref}\n`).join("");
      assertDone(url, await run([...FETCH, "--stdin", "--", url.url], names));
    },
    isAtomic: async () => true,
    push: async (updates, { isAtomic }) =>
      parsePush(
        url,
        await run([
          ...PUSH,
          ...(isAtomic ? ["--atomic"] : []),
          ...updates.map(toLease),
          "--",
          url.url,
          ...updates.map(toRefspec),
        ]),
      ),
  };
}

/** Hostile trees come in, as over https: whatever reads a tree takes it for one. A shallow remote is refused by git. */
const FETCH = ["-c", "fetch.fsckObjects=false", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
const PUSH = ["push", "--porcelain", "--no-verify"];

function toLease({ ref, expectedOld }: RefUpdate): string {
  return `--force-with-lease=${ref}:${expectedOld ?? ""}`;
}

function toRefspec({ ref, new: id }: RefUpdate): string {
  return `${id ?? ""}:${ref}`;
}

function parseRefs({ stdout }: GitEnd): RemoteRefs {
  const refs = new Map<string, GitId>();
  for (const line of stdout.toString("utf8").split("\n")) {
    const [id, ref] = line.split("\t");
    if (ref !== undefined && /^[0-9a-f]{40}$/u.test(id ?? "")) refs.set(ref, id ?? "");
  }
  return refs;
}

/** Lines are `<flag>\t<from>:<to>\t<summary> (<reason>)`; `!` flags what was not taken. */
function parsePush({ kind }: RemoteUrl, { code, stdout, stderr }: GitEnd): PushReport {
  const refusals = new Map<string, string>();
  for (const line of stdout.toString("utf8").split("\n")) {
    const [flag, refs = "", summary = ""] = line.split("\t");
    if (flag === "!")
      refusals.set(refs.slice(refs.indexOf(":") + 1), /\((?<why>.*)\)$/u.exec(summary)?.groups?.["why"] ?? summary);
  }
  if (code !== 0 && refusals.size === 0) throw toGitFailure(stderr, kind);
  return { refusals, said: remoteLinesOf(stderr) };
}

/** What hooks said, without what git adds for the person at a terminal. */
function remoteLinesOf(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/u).filter((line) => line.startsWith("remote: "));
  return lines.map((line) => line.slice("remote: ".length)).join("\n");
}

function assertDone({ kind }: RemoteUrl, end: GitEnd): GitEnd {
  if (end.code === 0) return end;
  throw toGitFailure(end.stderr, kind);
}

/** A push that took too long may have been taken. */
function toRemoteError(error: unknown): never {
  if (error instanceof TeamMemoryError && error.code === "timeout") {
    throw unreachable("it did not finish in time");
  }
  throw error;
}
