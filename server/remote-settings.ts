/** The settings of one git remote: parsed together, for what one may be depends on the others. */
import { createHash } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isTeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { type ForgeSettings, readForgeSettings, type WrittenForge } from "./forge-settings.ts";
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
  /** Where proposals are reviewed as pull requests; null: by this service. */
  readonly forge: ForgeSettings | null;
}

/** As written. */
export interface WrittenRemote extends WrittenForge {
  readonly url?: string | undefined;
  /** The token itself: never written into a file of settings, nor a flag. */
  readonly token?: string | undefined;
  readonly "token-file"?: string | undefined;
  readonly askpass?: string | undefined;
  readonly "ssh-key"?: string | undefined;
  readonly "known-hosts"?: string | undefined;
  readonly folder?: string | undefined;
  readonly "base-branch"?: string | undefined;
}

export type RemoteSetting = keyof WrittenRemote;

/** Which setting breaks which rule; never its value. */
export interface RemoteProblem {
  readonly setting: RemoteSetting;
  readonly rule: string;
}

interface Places {
  /** A remote on this disk may lie in it. */
  readonly dataFolder: string;
  /** What paths are relative to. */
  readonly from: string;
}

type Report = (setting: RemoteSetting, rule: string) => void;

/** The settings, or what is wrong with them; null where no address is given: the repository in the data folder. */
export function readRemoteSettings(
  given: WrittenRemote,
  { dataFolder, from }: Places,
): { readonly remote: RemoteSettings | null; readonly problems: readonly RemoteProblem[] } {
  const problems: RemoteProblem[] = [];
  const report: Report = (setting, rule) => void problems.push({ setting, rule });
  const written = toAbsolute(given, from);
  const token = readTokenSource(written, report);
  const baseRef = `refs/heads/${written["base-branch"] ?? "main"}`;
  if (!isRefName(baseRef) || baseRef.startsWith("refs/heads/team-memory/")) {
    report("base-branch", "the name of a branch");
  }
  if (written.url === undefined) {
    const lone = namesOf(written)[0];
    if (lone !== undefined) report(lone, "given without the address of a remote");
    return { remote: null, problems };
  }
  const url = tryParseUrl(written.url, [dataFolder, written.folder ?? dataFolder], report);
  const ssh = { keyPath: written["ssh-key"] ?? null, knownHostsPath: written["known-hosts"] ?? null };
  assertReadable(written, report);
  if (url === null) return { remote: null, problems };
  assertOfItsKind(url, written, report);
  const forge = readForgeSettings(written, { url, token }, report);
  return { remote: { url, token, ssh, baseRef, forge }, problems };
}

const PATHS: readonly RemoteSetting[] = ["token-file", "ssh-key", "known-hosts", "folder", "forge-token-file"];
const TOKENS: readonly RemoteSetting[] = ["token", "token-file", "askpass"];
const SSH_FILES: readonly RemoteSetting[] = ["ssh-key", "known-hosts"];

function toAbsolute(written: WrittenRemote, from: string): WrittenRemote {
  const pairs = namesOf(written).map((name) => {
    const text = written[name] ?? "";
    return [name, PATHS.includes(name) ? resolve(from, text) : text];
  });
  return Object.fromEntries(pairs);
}

function namesOf(written: WrittenRemote): readonly RemoteSetting[] {
  return (Object.keys(written) as RemoteSetting[]).filter((name) => written[name] !== undefined);
}

function readTokenSource(written: WrittenRemote, report: Report): TokenSource {
  const { token, "token-file": path, askpass } = written;
  const given = TOKENS.filter((name) => written[name] !== undefined);
  const [, second] = given;
  if (second !== undefined) report(second, `give one of ${given.join(", ")}`);
  if (token !== undefined) return { kind: "text", token };
  if (path !== undefined) return { kind: "file", path };
  if (askpass === undefined) return { kind: "none" };
  if (!isAbsolute(askpass)) report("askpass", "the full path of a program");
  return { kind: "askpass", command: [askpass] };
}

/** Said at start, all at once: ssh would only say that it is not let in. */
function assertReadable(written: WrittenRemote, report: Report): void {
  for (const name of SSH_FILES) {
    const path = written[name];
    if (path === undefined) continue;
    const problem = isSshPath(path) ? unreadable(path) : "the path has blanks or other characters that ssh expands";
    if (problem !== null) report(name, problem);
  }
}

function unreadable(path: string): string | null {
  try {
    accessSync(path, constants.R_OK);
    return null;
  } catch (error) {
    return `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;
  }
}

function assertOfItsKind({ kind }: RemoteUrl, written: WrittenRemote, report: Report): void {
  const given = namesOf(written);
  const token = given.find((name) => TOKENS.includes(name));
  if (kind !== "http" && token !== undefined) report(token, "a token is for https alone: ssh takes a key");
  const sshFile = given.find((name) => SSH_FILES.includes(name));
  if (kind !== "ssh" && sshFile !== undefined) report(sshFile, "for ssh alone");
}

function tryParseUrl(text: string, folders: readonly string[], report: Report): RemoteUrl | null {
  try {
    return parseRemoteUrl(text, { folders });
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    report("url", String(error.details["rule"]));
    return null;
  }
}

/** For the log: no token, and not what a file or program is called either. */
export function redactRemote({ url, token, baseRef, forge }: RemoteSettings): Record<string, unknown> {
  const { kind, apiUrl } = forge ?? { kind: "none", apiUrl: null };
  return { url: url.url, baseRef, tokenFrom: token.kind, forge: kind, ...(apiUrl !== null && { apiUrl }) };
}

/** Of each remote and base its own, so that another remote never meets the mirror of the last one. */
export function mirrorFolderOf(dataFolder: string, { url, baseRef }: RemoteSettings): string {
  const name = createHash("sha256").update(`${url.url}\n${baseRef}`).digest("hex").slice(0, 16);
  return join(dataFolder, "remotes", name);
}
