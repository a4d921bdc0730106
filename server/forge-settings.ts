/** The settings of a remote's forge: where pull requests are opened, and with which token. */
import { LIMITS } from "../shared/limits.ts";
import type { ForgeKind } from "./forge/forge.ts";
import type { TokenSource } from "./git/remote/credentials.ts";
import type { RemoteUrl } from "./git/remote/parse-remote-url.ts";

export interface ForgeSettings {
  readonly kind: ForgeKind;
  /** Of its API, without a slash at the end. */
  readonly apiUrl: string;
  /** `owner/name`; on GitLab with all its groups. */
  readonly repository: string;
  readonly token: TokenSource;
  /** Who is asked to review; names as people log in with. */
  readonly reviewers: readonly string[];
}

/** As written. */
export interface WrittenForge {
  readonly forge?: string | undefined;
  readonly "forge-url"?: string | undefined;
  readonly "forge-token-file"?: string | undefined;
  readonly "forge-reviewers"?: string | undefined;
}

export const FORGE_SETTINGS = [
  "forge",
  "forge-url",
  "forge-token-file",
  "forge-reviewers",
] as const satisfies readonly (keyof WrittenForge)[];

type Report = (setting: keyof WrittenForge, rule: string) => void;

/** Below the remote's own host, unless the operator names another address. */
const API_PATHS: Readonly<Record<ForgeKind, string>> = { github: "/api/v3", gitea: "/api/v1", gitlab: "/api/v4" };

/** Null: reviewed here, or something is wrong and was reported. `token`: the remote's own, taken where no other is given. */
export function readForgeSettings(
  written: WrittenForge,
  { url, token }: { readonly url: RemoteUrl; readonly token: TokenSource },
  report: Report,
): ForgeSettings | null {
  const { forge, "forge-url": address, "forge-token-file": path, "forge-reviewers": names } = written;
  if (forge === undefined || forge === "none") {
    const lone = FORGE_SETTINGS.slice(1).find((name) => written[name] !== undefined);
    if (lone !== undefined) report(lone, "given without --forge, which says what kind it is");
    return null;
  }
  const kind = Object.keys(API_PATHS).find((name): name is ForgeKind => name === forge);
  if (kind === undefined) report("forge", "github, gitea (for Forgejo, too), gitlab or none");
  const place = readPlace(url);
  if (place === null) report("forge", "a remote by https or ssh is what a forge has");
  const reviewers = names === undefined ? [] : names.split(",").map((name) => name.trim());
  const isNamed = reviewers.every((name) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/u.test(name));
  if (!isNamed || reviewers.length > LIMITS.forgeReviewersMax)
    report("forge-reviewers", `names as on the forge, separated by commas, at most ${LIMITS.forgeReviewersMax}`);
  const source: TokenSource = path === undefined ? token : { kind: "file", path };
  if (source.kind === "none") report("forge-token-file", "the forge's API takes a token: this one, or the remote's");
  if (kind === undefined || place === null) return null;
  const apiUrl = address === undefined ? defaultUrl(kind, place) : parseUrl(address, report);
  if (apiUrl === null) return null;
  return { kind, apiUrl, repository: toRepository(kind, place, apiUrl), token: source, reviewers };
}

interface Place {
  /** Scheme, host and port of where its pages are. */
  readonly origin: string;
  readonly path: string;
}

/** A remote by ssh is served on the same host by https. */
function readPlace({ kind, url }: RemoteUrl): Place | null {
  if (kind === "file") return null;
  const scp = /^(?:[^@/]*@)?(?<host>[^:/]+):(?<path>[^/].*|\/[^/].*)$/u.exec(url.includes("://") ? "" : url)?.groups;
  const { protocol, host, hostname, pathname } = scp === undefined ? new URL(url) : toParts(scp);
  const origin = protocol === "ssh:" ? `https://${hostname}` : `${protocol}//${host}`;
  return { origin, path: pathname.replace(/^\/+|\/+$/gu, "").replace(/\.git$/u, "") };
}

function toParts({ host = "", path = "" }: Readonly<Record<string, string | undefined>>) {
  return { protocol: "ssh:", host, hostname: host, pathname: path };
}

/** The first segments of a path may be where the forge itself lies: its repositories have two, on GitLab two or more. */
function toRepository(kind: ForgeKind, { path }: Place, apiUrl: string): string {
  if (kind !== "gitlab") return path.split("/").slice(-2).join("/");
  const below = new URL(apiUrl).pathname.replace(/\/api\/v4$/u, "").replace(/^\//u, "");
  return below !== "" && path.startsWith(`${below}/`) ? path.slice(below.length + 1) : path;
}

function defaultUrl(kind: ForgeKind, { origin, path }: Place): string {
  if (kind === "github" && origin === "https://github.com") return "https://api.github.com";
  const below = kind === "gitlab" ? "" : path.split("/").slice(0, -2).join("/");
  return `${origin}${below === "" ? "" : `/${below}`}${API_PATHS[kind]}`;
}

function parseUrl(text: string, report: Report): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLoopback = url !== null && /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/u.test(url.hostname);
  const isPlain = url !== null && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (url !== null && isPlain && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback)))
    return `${url.origin}${url.pathname.replace(/\/+$/u, "")}`;
  report("forge-url", "the https address of its API, without credentials or query");
  return null;
}
