/**
 * Values that a name calls secret: `password = …`, `"api_key": "…"`, `| token | … |`, "the key is …". The name says that it
 * may be one, the value must look like one: drawn at random, or a password with its symbols.
 */
import { LIMITS } from "../limits.ts";
import { isPlaceholder } from "./is-placeholder.ts";
import { looksRandom } from "./random-looking.ts";
import { type SecretMatch, toMasked } from "./secret-match.ts";
import { readSecretName, type SecretName } from "./secret-name.ts";

const KEYWORD =
  /pass(?:word|wd|phrase|code|wort)?|pwd|secret|token|key|credentials?|creds?|auth|contraseña|senha|пароль|密码|密碼|パスワード|비밀번호/gi;

/** From the keyword's end: what may end the name, an operator, decoration, the value. No two neighbours overlap. */
const ASSIGNMENT = new RegExp(
  [
    "(?:[_-]?(?:production|prod|staging|stage|dev|test|live|value|base64|b64|old|new|[0-9]{1,3}))?",
    String.raw`["'\x60*\])}]{0,4}(?:: ?&?(?:str|string|String|SecretStr)(?= ?=))?[ \t]{0,20}`,
    String.raw`(=>|:=|==|=|:|->|\||>|\(|,|is\b|was\b|(?<=[ \t]))[ \t*"'\x60]{0,20}`,
    String.raw`(?:[|>]?[+-]?\n[ \t>]{1,20}["'\x60]?)?`,
    String.raw`([^\s"'\x60<>|,;(){}[\]\\]{${LIMITS.secretValueLengthMin},${LIMITS.secretValueLengthMax}})`,
  ].join(""),
  "y",
);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HEX = /^(?:0x)?[0-9a-f]+$/i;
/** What is meant to be seen: digests, public keys. */
const PUBLIC_VALUE = /^(?:sha\d{1,3}|md5|blake\w{1,3})[:-]|^AAAA[A-Z][23]N|^(?:npub|did:|urn:)/i;
const WEAK_VALUE_LENGTH_MIN = 16;
const PROSE_VALUE_LENGTH_MIN = 10;

export function findAssignments(text: string): SecretMatch[] {
  const found: SecretMatch[] = [];
  let end = 0;
  for (const keyword of text.matchAll(KEYWORD)) {
    if (keyword.index < end) continue;
    const match = assignedAfter(text, keyword.index, keyword[0]);
    if (match === null) continue;
    found.push(match);
    end = match.end;
  }
  return found;
}

function assignedAfter(text: string, start: number, keyword: string): SecretMatch | null {
  ASSIGNMENT.lastIndex = start + keyword.length;
  const match = ASSIGNMENT.exec(text);
  if (match === null) return null;
  const [, operator = "", written = ""] = match;
  const end = ASSIGNMENT.lastIndex;
  const name = readSecretName(text, start, keyword);
  if (name === null || !isAssigning(operator, name, match[0])) return null;
  const value = written.replace(/[.:?*]+$/, "");
  if (isCall(text, end) || !isSecretValue(value, name, operator)) return null;
  return { rule: name.rule, start: end - written.length, end, masked: toMasked("") };
}

/** Without an operator only an option of a command takes a value; a list or a call takes one in quotes. */
function isAssigning(operator: string, name: SecretName, written: string): boolean {
  if (operator === "") return name.isOption;
  return (operator !== "," && operator !== "(") || /[,(][ \t]{0,20}["'\x60]/.test(written);
}

function isCall(text: string, end: number): boolean {
  return text[end] === "(" || text[end] === "[";
}

function isSecretValue(value: string, name: SecretName, operator: string): boolean {
  if (isPlaceholder(value) || PUBLIC_VALUE.test(value) || isAddress(value)) return false;
  const isProse = operator === "is" || operator === "was";
  if (isProse && value.length < PROSE_VALUE_LENGTH_MIN) return false;
  if (name.strength === "password" && !isProse && isPassword(value)) return true;
  if (!looksRandom(value)) return false;
  return name.strength === "weak" ? isWeaklyNamedSecret(value, name, isProse) : isDense(value, name);
}

/** Names of keys that lock nothing (of caches, rows, things) have digests and ids as values. */
function isWeaklyNamedSecret(value: string, name: SecretName, isProse: boolean): boolean {
  if (value.length < WEAK_VALUE_LENGTH_MIN || !isDense(value, name)) return false;
  return (name.isQualified && !isProse) || !(UUID.test(value) || HEX.test(value));
}

/** Not a name with a short suffix (`db-creds-8f7k2`): one part of it is long by itself. */
function isDense(value: string, name: SecretName): boolean {
  if (name.strength === "password" || UUID.test(value)) return true;
  return value
    .split(/[-_./:]/)
    .some((part) => part.length >= 6 && looksRandom(part.padEnd(LIMITS.secretValueLengthMin)));
}

function isAddress(value: string): boolean {
  return value.includes("://") || /^(?:\.{0,2}|~|[A-Za-z]:)[/\\].*\.[a-z0-9]{1,5}$/.test(value);
}

/** As people choose them: letters and digits with a symbol, or digits among the letters; an e-mail address is none. */
function isPassword(value: string): boolean {
  if (/^[\w.+-]+@[\w-]+\.[\w.-]+$/.test(value)) return false;
  if (/^[A-Za-z\d]{1,20}$/.test(value)) return /[a-z]\d{1,20}[a-z]|\d[a-z]{1,20}\d/i.test(value);
  return /[!@#$%^&*?+=~]/.test(value) && /[a-z]/i.test(value) && /\d/.test(value);
}
