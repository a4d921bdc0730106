/** Addresses that carry their password: databases, brokers, remotes, proxies. */
import { isPlaceholder } from "./is-placeholder.ts";
import { looksRandom } from "./random-looking.ts";
import { type SecretMatch, toMasked } from "./secret-match.ts";

const SEPARATOR = "://";
const SCHEME_LENGTH_MAX = 24;
const PASSWORD_LENGTH_MIN = 4;
/** User, password, host, from behind the `://`. A password may hold an `@` of its own: the last one counts. */
const USER_INFO = /([^\s/?#:@"'`<>|]{0,128}):([^\s/?"'`<>|]{1,256})@([^\s/?#:@"'`<>|,)]{1,255})/y;
const USER_TOKEN = /([A-Za-z0-9_-]{20,256})(?::x-oauth-basic)?@([A-Za-z0-9.-]{1,255})/y;

/** What documentation writes, and what images of databases begin with. */
const CONVENTIONAL =
  /^(?:\*+|x+|pass(?:word|wd)?|pwd|pw|secret|root|admin|postgres|mysql|user|username|guest|test|token|changeit|my_?pass(?:word)?|db_?pass(?:word)?|p[a@]ssw[o0]rd)$/i;
/** Of one machine, or of documentation: only what was drawn at random is a secret there. */
const HARMLESS_HOST =
  /^(?:localhost|127\.|0\.0\.0\.0|host\.docker\.internal$|db$|postgres$|mysql$|redis$|mongo$|rabbitmq$|(?:.{1,200}\.)?example(?:\.(?:com|org|net)|$))/i;
/** An address by which programs report errors; its user part only names the project. */
const REPORTING_HOST = /(?:^|\.)sentry\.|^sentry/i;

export function findUrlPasswords(text: string): SecretMatch[] {
  const found: SecretMatch[] = [];
  for (let at = text.indexOf(SEPARATOR); at >= 0; at = text.indexOf(SEPARATOR, at + SEPARATOR.length)) {
    const match = passwordAfter(text, at + SEPARATOR.length) ?? tokenAfter(text, at + SEPARATOR.length);
    if (match !== null) found.push({ ...match, masked: toMasked(schemeBefore(text, at) + SEPARATOR) });
  }
  return found;
}

type Credentials = Omit<SecretMatch, "masked">;

function passwordAfter(text: string, start: number): Credentials | null {
  USER_INFO.lastIndex = start;
  const [, user = "", password = "", host = ""] = USER_INFO.exec(text) ?? [];
  if (password === "" || isConventional(user, password)) return null;
  if (HARMLESS_HOST.test(host) && !looksRandom(password)) return null;
  return { rule: "url-password", start, end: USER_INFO.lastIndex };
}

function tokenAfter(text: string, start: number): Credentials | null {
  USER_TOKEN.lastIndex = start;
  const [, token = "", host = ""] = USER_TOKEN.exec(text) ?? [];
  if (REPORTING_HOST.test(host) || isPlaceholder(token) || !looksRandom(token)) return null;
  return { rule: "url-token", start, end: USER_TOKEN.lastIndex };
}

function isConventional(user: string, password: string): boolean {
  return (
    password.length < PASSWORD_LENGTH_MIN ||
    password.toLowerCase() === user.toLowerCase() ||
    CONVENTIONAL.test(password) ||
    isPlaceholder(password)
  );
}

function schemeBefore(text: string, at: number): string {
  return /[a-z][a-z0-9+]*$/i.exec(text.slice(Math.max(0, at - SCHEME_LENGTH_MAX), at))?.[0] ?? "";
}
