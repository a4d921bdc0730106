/**
 * Which addresses of a git remote are taken. The list is of what is allowed: git itself runs programs for some addresses
 * (`ext::sh -c …`), takes some for options (`--upload-pack=…`), and hands hosts to ssh, which has options of its own.
 */
import { isAbsolute, join, normalize, sep } from "node:path";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";

/** `http`: spoken here. The others go through the git program, which may use that one protocol. */
export type RemoteUrl =
  | { readonly kind: "http"; readonly url: string }
  | { readonly kind: "ssh"; readonly url: string }
  | { readonly kind: "file"; readonly url: string };

/** Absolute folders in which repositories on this disk may lie. */
export interface RemotePlaces {
  readonly folders: readonly string[];
}

/** @throws TeamMemoryError config_invalid, naming the rule that it breaks and never the address: it may hold a secret */
export function parseRemoteUrl(text: string, { folders }: RemotePlaces): RemoteUrl {
  for (const [rule, isBroken] of RULES) if (isBroken(text)) throw refused(rule);
  if (isAbsolute(text)) return parsePath(text, folders);
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(text)) return parseWithScheme(text, folders);
  return parseScp(text);
}

const RULES: readonly (readonly [rule: string, isBroken: (text: string) => boolean])[] = [
  ["it is empty", (text) => text === ""],
  [`it is longer than ${LIMITS.remoteUrlLengthMax} characters`, (text) => text.length > LIMITS.remoteUrlLengthMax],
  ["it holds blanks, control or other unusual characters", (text) => !/^[!-~]+$/u.test(text)],
  ["it begins with a dash, as options do", (text) => text.startsWith("-")],
  ["it names a transport helper (::), which runs programs", (text) => /^[^/]*::/u.test(text)],
  // `\` is `/` to some parsers and not to others.
  ["it holds a backslash", (text) => text.includes("\\")],
];

function parseWithScheme(text: string, folders: readonly string[]): RemoteUrl {
  if (!URL.canParse(text)) throw refused("it is no address");
  const url = new URL(text);
  if (url.protocol === "file:") return parseFile(url, folders);
  if (!["https:", "http:", "ssh:"].includes(url.protocol))
    throw refused("it is none of https, ssh and an absolute path");
  if (url.search !== "" || url.hash !== "") throw refused("it has a query or a fragment");
  if (url.password !== "") throw refused("it holds a password; give it as a token");
  if (url.hostname === "" || url.pathname.length < 2) throw refused("it names no host or no repository");
  return url.protocol === "ssh:" ? parseSsh(url, text) : parseHttp(url);
}

function parseHttp(url: URL): RemoteUrl {
  if (url.username !== "") throw refused("it holds a user or a token; give it as a token");
  if (url.protocol === "http:" && !isLoopback(url.hostname)) throw refused("it is http, and not of this machine");
  return { kind: "http", url: `${url.origin}${url.pathname.replace(/\/+$/u, "")}` };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(host);
}

/** What ssh is given as host and user must not look like an option of ssh (`-oProxyCommand=…`). */
const USER = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$/u;
const HOST = /^[A-Za-z0-9][A-Za-z0-9.-]*$/u;

/** The text itself goes to git, so it must read as the parser has read it. */
function parseSsh(url: URL, text: string): RemoteUrl {
  const isPlain = USER.test(url.username) && (HOST.test(url.hostname) || /^\[[0-9a-f:]+\]$/iu.test(url.hostname));
  if (!isPlain || /[%'"`$;&|<>(){}*?!]/u.test(text)) throw refused("its user, host or path has unusual characters");
  return { kind: "ssh", url: text };
}

function parseScp(text: string): RemoteUrl {
  const match = /^(?:(?<user>[^@:/]*)@)?(?<host>[^@:/]+):(?<path>[A-Za-z0-9_.~/][A-Za-z0-9_.~/+-]*)$/u.exec(text);
  if (match?.groups === undefined) throw refused("it is none of https, ssh and an absolute path");
  const { user = "git", host = "" } = match.groups;
  if (user === "" || !USER.test(user) || !HOST.test(host)) throw refused("its user or host has unusual characters");
  return { kind: "ssh", url: text };
}

function parseFile(url: URL, folders: readonly string[]): RemoteUrl {
  if (url.host !== "" || /%|\?|#/u.test(url.href)) throw refused("it is a file address that is no plain path");
  return parsePath(url.pathname, folders);
}

/** Lexical: the folders are the operator's own, and what lies in them is a repository or git says so. */
function parsePath(path: string, folders: readonly string[]): RemoteUrl {
  if (normalize(path) !== path.replace(/\/+/gu, "/")) throw refused("it is a path with . or .. in it");
  if (!folders.some((folder) => isBelow(folder, path))) throw refused(OUTSIDE);
  return { kind: "file", url: path };
}

const OUTSIDE =
  "it is a path outside the allowed folders; name the one that it lies in: --remote-folder, or `folder` in the file of --config";

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(join(folder, sep));
}

function refused(rule: string): TeamMemoryError {
  return new TeamMemoryError("config_invalid", `could not use the address of the remote: ${rule}`, {
    details: { rule, problems: [`--remote (TEAM_MEMORY_REMOTE): ${rule}`] },
  });
}
