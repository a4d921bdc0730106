import type { IncomingMessage } from "node:http";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";

/**
 * What a request must not be, whatever route it names; looked at raw, before anything is decoded or parsed. Node passes
 * all of these on.
 * @throws TeamMemoryError bad_request, forbidden, too_large, unsupported_media_type
 */
export function assertRawRequest(request: IncomingMessage): void {
  assertTarget(request.url ?? "");
  assertHeaders(request.rawHeaders);
  if (isUnsafe(request.method)) assertWrite(request);
}

/**
 * Dot segments (also `..;`, the path parameter of some proxies), backslashes, and what decodes to a slash, a
 * backslash, a dot or a control character: a proxy and we could read the address differently, and one of us would
 * check another path than the other serves. Nobody who encodes a key by its segments sends them.
 */
const TWO_FACED = /(?:^|\/)\.\.?(?:[/;]|$)|\\|%(?:[01][0-9a-f]|7f|2e|2f|5c)/i;

function assertTarget(target: string): void {
  if (target.length > LIMITS.requestTargetLengthMax) {
    const message = `Could not read the address: it is over ${LIMITS.requestTargetLengthMax} characters`;
    throw new TeamMemoryError("too_large", message);
  }
  const path = target.split("?", 1)[0] ?? "";
  if (!path.startsWith("/") || TWO_FACED.test(path))
    throw new TeamMemoryError(
      "bad_request",
      "Could not read the address: it has segments that mean different things to different programs",
    );
}

/** Node keeps the first of several and drops headers past its own bound in silence: both would hide what was sent. */
function assertHeaders(rawHeaders: readonly string[]): void {
  if (rawHeaders.length >= LIMITS.requestHeadersMax * 2)
    throw new TeamMemoryError("bad_request", `Could not read the request: over ${LIMITS.requestHeadersMax} headers`);
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) authorizations += 1;
  }
  if (authorizations > 1)
    throw new TeamMemoryError("bad_request", "Could not read the request: two Authorization headers");
}

const AUTHORIZATION = "authorization";

function isUnsafe(method: string | undefined): boolean {
  return method !== "GET" && method !== "HEAD";
}

/**
 * A browser adds Origin to what a page makes it send, and no page writes here: whatever comes with one is a foreign
 * page's attempt.
 */
function assertWrite({ headers }: IncomingMessage): void {
  if (headers.origin !== undefined)
    throw new TeamMemoryError("forbidden", "Could not accept a write that a web page sent");
}
