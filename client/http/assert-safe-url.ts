import { isIP } from "node:net";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/**
 * The whole URL of a call. Plain http shows the token and the memories to everyone on the way: only to this machine, or
 * where the user has allowed it.
 *
 * @throws TeamMemoryError `insecure_url`, `bad_request`
 */
export function assertSafeUrl(service: { readonly url: string; readonly insecure: boolean }, path: string): URL {
  const base = parseBase(service.url);
  if (base.protocol === "http:" && !service.insecure && !isLoopback(base.hostname)) {
    throw new TeamMemoryError("insecure_url", `Refused plain http to another machine: ${base.origin}`);
  }
  return new URL(base.pathname.replace(/\/$/, "") + path, base.origin);
}

function isLoopback(hostname: string): boolean {
  const host = toBareHost(hostname);
  return isLocalName(host) || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** A URL writes an IPv6 address in brackets. */
export function toBareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** `localhost` and names below it are this machine by definition, whatever a name server says. */
export function isLocalName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

function parseBase(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TeamMemoryError("bad_request", "Not the address of a service: an http or https URL is needed");
  }
  return url;
}
