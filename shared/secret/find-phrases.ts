/** Secrets that the words around them give away: headers, commands, configuration files. */
import { isPlaceholder } from "./is-placeholder.ts";
import { looksRandom } from "./random-looking.ts";
import { type SecretMatch, toMasked } from "./secret-match.ts";

interface Phrase {
  readonly rule: string;
  /** The text is searched only where it has this somewhere: most have not. */
  readonly hint: RegExp;
  /** Global; group 1 is the secret. Linear: begins with literal letters or an edge, and every repetition is bounded. */
  readonly expression: RegExp;
  readonly isSecret: (value: string) => boolean;
}

const PHRASES: readonly Phrase[] = [
  {
    rule: "jwt",
    hint: /eyJ/,
    expression: /(?<![\w-])(eyJ[\w-]{12,4000}\.[\w-]{10,8000}\.[\w-]{10,2000})/g,
    isSecret: () => true,
  },
  {
    rule: "authorization-header",
    hint: /(?:bearer|token|apikey|splunk|geniekey)[ \t]/i,
    expression: /\b(?:bearer|token|apikey|splunk|geniekey)[ \t]{1,8}["']?([\w.~+/-]{16,2000})/gi,
    isSecret: isRandom,
  },
  {
    rule: "basic-authorization",
    hint: /basic[ \t]/i,
    expression: /\bbasic[ \t]{1,8}([A-Za-z0-9+/]{8,500}={0,2})/gi,
    isSecret: isUserPassword,
  },
  {
    rule: "docker-auth",
    hint: /"auth"/,
    expression: /"auth"\s{0,8}:\s{0,8}"([A-Za-z0-9+/]{8,500}={0,2})"/g,
    isSecret: isUserPassword,
  },
  {
    rule: "npm-auth",
    hint: /:_auth/,
    expression: /:_auth ?= ?["']?([A-Za-z0-9+/]{8,500}={0,2})/g,
    isSecret: isUserPassword,
  },
  {
    rule: "command-user-password",
    hint: /[ \t]--?u/,
    expression: /[ \t](?:-u|--user|--proxy-user)[ =]{0,2}["']?[\w.@-]{0,64}:(?!\/\/)([^\s"'$<{]{6,128})/g,
    isSecret: isUnconventional,
  },
  {
    rule: "netrc-password",
    hint: /login/,
    expression: /\blogin\s{1,20}\S{1,100}\s{1,20}password\s{1,20}(\S{4,200})/g,
    isSecret: isUnconventional,
  },
  {
    rule: "nuget-password",
    hint: /Password"/i,
    expression: /key="(?:ClearText)?Password"\s{1,8}value="([^"\n]{8,200})"/gi,
    isSecret: isUnconventional,
  },
  { rule: "signed-address", hint: /[?&]sig=/, expression: /[?&]sig=([\w%+/=-]{30,200})/g, isSecret: isRandom },
  {
    rule: "facebook-token",
    hint: /[0-9]{15}(?:\||%7C|[0-9])/,
    expression: /(?<![\w.-])([0-9]{15,16}(?:\||%7C)[\w-]{27,40})(?![\w-])/g,
    isSecret: isRandom,
  },
  {
    rule: "jwk-private-key",
    hint: /"kty"/,
    expression: /"d"\s{0,8}:\s{0,8}"([\w-]{32,2000})"/g,
    isSecret: isRandom,
  },
  {
    rule: "kubernetes-secret",
    hint: /kind: ?["']?Secret/,
    expression: /^[ \t]{1,8}[\w.-]{1,64}: ["']?([A-Za-z0-9+/]{8,400}={0,2})["']?[ \t]{0,8}$/gm,
    isSecret: isEncodedValue,
  },
];

export function findPhrases(text: string): SecretMatch[] {
  return PHRASES.filter(({ hint }) => hint.test(text)).flatMap(({ rule, expression, isSecret }) =>
    [...text.matchAll(expression)]
      .filter(([, value = ""]) => isSecret(value))
      .map((match) => ({ rule, start: match.index, end: match.index + match[0].length, masked: toMasked("") })),
  );
}

function isRandom(value: string): boolean {
  return !isPlaceholder(value) && looksRandom(value);
}

function isUnconventional(value: string): boolean {
  return !isPlaceholder(value) && !/^(?:pass(?:word|wd)?|secret|token|user|admin|test|api_token)$/i.test(value);
}

/** Base64 of `user:password`. */
function isUserPassword(value: string): boolean {
  const [, password = ""] = /^[\x21-\x7e]{0,200}?:([\x21-\x7e]{4,200})$/.exec(decode(value)) ?? [];
  return password !== "" && isUnconventional(password);
}

/** Base64 of one line of text that is no mere word: what `data` of a Secret holds. */
function isEncodedValue(value: string): boolean {
  const decoded = decode(value).trim();
  return (
    value.length % 4 === 0 && /^[\x20-\x7e]{6,300}$/.test(decoded) && /\d/.test(decoded) && isUnconventional(decoded)
  );
}

function decode(value: string): string {
  return Buffer.from(value, "base64").toString("latin1");
}
