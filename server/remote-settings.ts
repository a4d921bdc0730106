/** The settings of a shared git remote: parsed together, for what one may be depends on the others. */
import { createHash } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isTeamMemoryError } from "../shared/errors/team-memory-error.ts";
import type { FlagRows } from "./flag-rows.ts";
import { isRefName } from "./git/ref-name.ts";
import type { TokenSource } from "./git/remote/credentials.ts";
import { parseRemoteUrl, type RemoteUrl } from "./git/remote/parse-remote-url.ts";
import { isSshPath, type SshFiles } from "./git/remote/ssh-command.ts";

export interface RemoteSettings {
  readonly url: RemoteUrl;
  readonly token: TokenSource;
  readonly ssh: SshFiles;
  /** Full name of its branch that everyone pulls. */
  readonly baseRef: string;
}

/** The token itself is never a flag: `ps` shows flags. */
export const REMOTE_FLAGS = {
  remote: {
    type: "string",
    value: "URL",
    help: "a git remote that holds the memory; a repository of its own unless named",
  },
  "remote-token-file": { type: "string", value: "FILE", help: "its token, read again when it is refused" },
  "remote-askpass": { type: "string", value: "PROGRAM", help: "prints its token; run without a shell" },
  "remote-ssh-key": { type: "string", value: "FILE", help: "the private key for ssh; those of who runs the service" },
  "remote-known-hosts": {
    type: "string",
    value: "FILE",
    help: "host keys that ssh believes; those of who runs the service",
  },
  "remote-folder": {
    type: "string",
    value: "DIR",
    help: "where a remote on this disk may lie, beside the data folder",
  },
  "base-branch": { type: "string", value: "NAME", help: "the remote's branch that everyone pulls; main" },
} as const satisfies FlagRows;

export type WrittenRemote = Readonly<Partial<Record<keyof typeof REMOTE_FLAGS | "remote-token", string>>>;

/** The settings, or what is wrong with them; null where no remote is named. */
export function readRemoteSettings(
  written: WrittenRemote,
  dataFolder: string,
): { readonly remote: RemoteSettings | null; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const sources = toSources(written);
  if (sources.length > 1) problems.push(`${sources.map(({ from }) => from).join(", ")}: give one of them`);
  const token = sources[0]?.token ?? { kind: "none" };
  if (token.kind === "askpass" && !isAbsolute(token.command[0])) {
    problems.push("--remote-askpass (TEAM_MEMORY_REMOTE_ASKPASS): the full path of a program");
  }
  const baseRef = `refs/heads/${written["base-branch"] ?? "main"}`;
  if (!isRefName(baseRef) || baseRef.startsWith("refs/heads/team-memory/")) {
    problems.push("--base-branch (TEAM_MEMORY_BASE_BRANCH): the name of a branch");
  }
  if (written.remote === undefined) {
    const [lone] = Object.keys(written);
    if (lone !== undefined) problems.push(`${lone}: given without --remote (TEAM_MEMORY_REMOTE)`);
    return { remote: null, problems };
  }
  const url = tryParseUrl(written.remote, [dataFolder, ...folderOf(written)], problems);
  if (url !== null && url.kind !== "http" && token.kind !== "none") {
    problems.push("a token is for https alone: ssh takes --remote-ssh-key");
  }
  const ssh = toSshFiles(written, problems);
  if (url !== null && url.kind !== "ssh" && isAnySshFile(ssh)) {
    problems.push("--remote-ssh-key and --remote-known-hosts are for ssh alone");
  }
  return { remote: url === null ? null : { url, token, ssh, baseRef }, problems };
}

function toSshFiles(written: WrittenRemote, problems: string[]): SshFiles {
  return {
    keyPath: toSshPath(written, "remote-ssh-key", problems),
    knownHostsPath: toSshPath(written, "remote-known-hosts", problems),
  };
}

function isAnySshFile({ keyPath, knownHostsPath }: SshFiles): boolean {
  return keyPath !== null || knownHostsPath !== null;
}

function toSshPath(written: WrittenRemote, name: keyof WrittenRemote, problems: string[]): string | null {
  const text = written[name];
  if (text === undefined) return null;
  const path = resolve(text);
  const variable = `TEAM_MEMORY_${name.toUpperCase().replaceAll("-", "_")}`;
  const problem = isSshPath(path) ? unreadable(path) : "the path has blanks or other characters that ssh expands";
  if (problem !== null) problems.push(`--${name} (${variable}): ${problem}`);
  return path;
}

/** Said at start, all at once: ssh would only say that it is not let in. */
function unreadable(path: string): string | null {
  try {
    accessSync(path, constants.R_OK);
    return null;
  } catch (error) {
    return `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;
  }
}

function toSources(written: WrittenRemote): readonly { from: string; token: TokenSource }[] {
  const { "remote-token": token, "remote-token-file": path, "remote-askpass": program } = written;
  return [
    ...(token === undefined ? [] : [{ from: "TEAM_MEMORY_REMOTE_TOKEN", token: { kind: "text", token } as const }]),
    ...(path === undefined
      ? []
      : [{ from: "--remote-token-file", token: { kind: "file", path: resolve(path) } as const }]),
    ...(program === undefined
      ? []
      : [{ from: "--remote-askpass", token: { kind: "askpass", command: [program] } as const }]),
  ];
}

function folderOf({ "remote-folder": folder }: WrittenRemote): readonly string[] {
  return folder === undefined ? [] : [resolve(folder)];
}

function tryParseUrl(text: string, folders: readonly string[], problems: string[]): RemoteUrl | null {
  try {
    return parseRemoteUrl(text, { folders });
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    problems.push(...(error.details["problems"] as readonly string[]));
    return null;
  }
}

/** For the log: no token, and not what a file or program is called either. */
export function redactRemote({ url, token, baseRef }: RemoteSettings): Record<string, unknown> {
  return { url: url.url, baseRef, tokenFrom: token.kind };
}

/** Of each remote and base its own, so that another remote never meets the mirror of the last one. */
export function mirrorFolderOf(dataFolder: string, { url, baseRef }: RemoteSettings): string {
  const name = createHash("sha256").update(`${url.url}\n${baseRef}`).digest("hex").slice(0, 16);
  return join(dataFolder, "remotes", name);
}
