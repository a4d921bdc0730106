import { brokenRule, type ProjectName } from "./parse-project-name.ts";

/**
 * The project of a git remote. Every form of one repository's address gives one name: https, ssh:// and scp-like,
 * with or without credentials, port of the scheme, `.git`, slashes at the end, upper case. Two repositories never give
 * one name; an address that could do so (a local path, a helper like `ext::`, letters that no forge allows) gives
 * null and the person is asked for a name.
 *
 * Parsed here rather than by URL, which knows no scp form, resolves `..` and leaves ssh hosts as they stand.
 */
export function projectFromRemoteUrl(url: string): ProjectName | null {
  const address = parseUrlForm(url) ?? parseScpForm(url);
  if (address === null) return null;
  const host = toHostSegment(address);
  const path = toPathSegments(address.path);
  if (host === null || path === null) return null;
  const name = [host, ...path].join("/").toLowerCase();
  return brokenRule(name) === null ? (name as ProjectName) : null;
}

interface Address {
  readonly scheme: string;
  readonly host: string;
  readonly port: string;
  readonly path: string;
}

const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ["https", 443],
  ["http", 80],
  ["ssh", 22],
  ["git+ssh", 22],
  ["ssh+git", 22],
  ["git", 9418],
]);
const PORT_MAX = 65_535;

/** Forges that answer ssh on the https port under a name of its own, for networks that block port 22. */
const SSH_OVER_HTTPS: ReadonlyMap<string, string> = new Map([
  ["ssh.github.com", "github.com"],
  ["altssh.gitlab.com", "gitlab.com"],
  ["altssh.bitbucket.org", "bitbucket.org"],
]);

const URL_FORM = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)(\/[^?#]*)?$/i;
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{0,5}))?$/i;
/** `user@host:path`, host in brackets where it has colons of its own or a port. No slash before the colon. */
const SCP_FORM = /^(?:[^/@[]*@)?(?:\[([^\]/]+)\]|([^/:@[\]]+)):(?!:)(.+)$/;
const DRIVE_LETTER = /^[a-z]:/i;

function parseUrlForm(url: string): Address | null {
  const [, scheme = "", authority = "", path = ""] = URL_FORM.exec(url) ?? [];
  if (!DEFAULT_PORTS.has(scheme.toLowerCase())) return null;
  // The last @: a password may hold one
  const [, host = "", port = ""] = HOST_AND_PORT.exec(authority.slice(authority.lastIndexOf("@") + 1)) ?? [];
  return host === "" ? null : { scheme: scheme.toLowerCase(), host, port, path };
}

function parseScpForm(url: string): Address | null {
  if (url.includes("://") || DRIVE_LETTER.test(url) || url.startsWith("-")) return null;
  const [, bracketed, plain, path = ""] = SCP_FORM.exec(url) ?? [];
  if (plain !== undefined) return { scheme: "ssh", host: plain, port: "", path };
  if (bracketed === undefined) return null;
  const inner = bracketed.slice(bracketed.lastIndexOf("@") + 1);
  const [, host = `[${inner}]`, port = ""] = /^([^:]+):(\d{1,5})$/.exec(inner) ?? [];
  return { scheme: "ssh", host, port, path };
}

/** `host` or `host_port`; null where the host is none, could be taken for one with a port, or the port is none. */
function toHostSegment({ scheme, host, port }: Address): string | null {
  const plain = normaliseHost(host);
  if (plain === null || /_\d*$/.test(plain)) return null;
  if (port === "") return plain;
  const number = Number(port);
  if (number < 1 || number > PORT_MAX) return null;
  if (number === DEFAULT_PORTS.get(scheme)) return plain;
  const alias = number === DEFAULT_PORTS.get("https") ? SSH_OVER_HTTPS.get(plain) : undefined;
  return alias ?? `${plain}_${number}`;
}

/** Nothing in which URL would see more than a host, or what it drops or decodes: `?`, `#`, tabs, `%41`. */
const HOST = /^(?:[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*|\[[0-9a-f:.]+\])$/iu;

/** What has one spelling but for its case. Asked first: HOST takes a millisecond to set up, and sessions wait for it. */
const PLAIN_HOST = /^(?!.*xn--)[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+$/i;

/** As browsers see it: lower case, punycode, one spelling of an address. No dot at the end. */
function normaliseHost(host: string): string | null {
  if (PLAIN_HOST.test(host)) return host.toLowerCase();
  if (!HOST.test(host) || !URL.canParse(`https://${host}/`)) return null;
  const { hostname } = new URL(`https://${host}/`);
  if (hostname.startsWith("[")) return toIpv6Name(hostname.slice(1, -1));
  return hostname.replace(/\.$/, "");
}

/** Colons cannot stand in a name: the spelling that Windows uses for the same reason. */
function toIpv6Name(address: string): string {
  return `${address.replaceAll(":", "-").replace(/^-/, "0-")}.ipv6-literal.net`;
}

/** Null where a segment does not decode, or holds what only encoding could bring in. */
function toPathSegments(path: string): readonly string[] | null {
  const segments = path.split("/").filter((segment) => segment !== "");
  const decoded: string[] = [];
  for (const segment of segments) {
    try {
      decoded.push(decodeURIComponent(segment));
    } catch {
      return null;
    }
  }
  const last = decoded.pop()?.replace(/\.git$/i, "");
  return last === undefined || last === "" || [...decoded, last].some((segment) => segment.includes("/"))
    ? null
    : [...decoded, last];
}
