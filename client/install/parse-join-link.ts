import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

export interface JoinLink {
  /** The service's address, no slash at the end. */
  readonly service: string;
  /** Works once. Never shown, never logged. */
  readonly code: string;
}

/**
 * `<service>/join#<code>`. The code stands behind the `#`, so that no proxy and no browser history on the way has it.
 *
 * @throws TeamMemoryError `usage`; the link is not in the message
 */
export function parseJoinLink(text: string): JoinLink {
  const url = URL.canParse(text) ? new URL(text) : null;
  const code = url?.hash.slice(1) ?? "";
  const isLink =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname.endsWith("/join") &&
    url.username + url.password + url.search === "" &&
    /^[\w-]{10,200}$/.test(code);
  if (!isLink) {
    throw new TeamMemoryError("usage", "Not a join link", {
      details: { usage: "team-memory join https://<service>/join#<code>, in quotes, as your team gave it to you" },
    });
  }
  return { service: url.origin + url.pathname.replace(/\/join$/, ""), code };
}
