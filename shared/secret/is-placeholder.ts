import { LIMITS } from "../limits.ts";
import { entropyBits } from "./random-looking.ts";

/** Words that stand where a value would; they are too long to be met by chance in a random one. */
const WORDS =
  /example|sample|placeholder|change[-_ ]?me|change[-_ ]?this|replace[-_ ]?(?:me|this|with)|insert[-_ ]|your[-_ ]|redacted|dummy|fake[-_ ]|todo|xxxx|\*{3}|\.{3}|not[-_ ]?a?[-_ ]?real|deadbeef|lorem/i;

/** Runs of the alphabet and of digits: what people type for a value, and for a token that a test is to find. */
const SEQUENCE = /abcdefgh|1234567890/i;

/** A reference to a value that lies elsewhere: shell, templates, environment, vaults. */
const REFERENCE =
  /^(?:\$[\w{(]|%\w+%|\{\{|<|\[|@[\w{]|!?(?:Ref|Sub|GetAtt)\b|(?:process|import\.meta|os|System|ENV|Env|env|config|settings|secrets|vars|var|self|this|args|options|ctx|opts|req|request|data|local|module)(?:\.|\[|::)|(?:vault|op|secret|ssm|arn|kms|env|file|https?|aws|gcp|doppler|infisical|keyvault|sops|ref\+\w+):|ENC\[)/;
const REFERENCE_INSIDE = /\$\{|\{\{|<[a-z][\w -]{0,40}>|\$\(/i;

const ENTROPY_BITS_MIN = 2;
const REPEATED_LENGTH_MAX = 8;

/** Whether `value` stands for a secret in documentation or code without being one; of a long one its beginning is judged. */
export function isPlaceholder(value: string): boolean {
  const text = value.slice(0, LIMITS.secretValueLengthMax);
  return isStandIn(text) || SEQUENCE.test(text) || (text.length >= REPEATED_LENGTH_MAX && stepShare(text) > 0.5);
}

/**
 * The same of a value in the shape of an issued token, where a sequence is no excuse: whoever writes one out to its full
 * length means a token, if only to see that it is found.
 */
export function isStandIn(value: string): boolean {
  const text = value.slice(0, LIMITS.secretValueLengthMax);
  return isReference(text) || WORDS.test(text) || isMonotonous(text);
}

function isReference(value: string): boolean {
  return REFERENCE.test(value) || REFERENCE_INSIDE.test(value);
}

/** `aaaa`, `abcabcabc`: of eight characters and more, few kinds or one part again and again. */
function isMonotonous(value: string): boolean {
  if (value.length < REPEATED_LENGTH_MAX) return false;
  return entropyBits(value) < ENTROPY_BITS_MIN || isRepetition(value);
}

/** `0123456789`: share of characters that equal the one before, or are its neighbour in the alphabet. */
function stepShare(value: string): number {
  let steps = 0;
  for (let index = 1; index < value.length; index++) {
    if (Math.abs(value.charCodeAt(index) - value.charCodeAt(index - 1)) <= 1) steps++;
  }
  return steps / value.length;
}

function isRepetition(value: string): boolean {
  for (let length = 1; length <= REPEATED_LENGTH_MAX && length * 2 <= value.length; length++) {
    const unit = value.slice(0, length);
    if (unit.repeat(Math.ceil(value.length / length)).startsWith(value)) return true;
  }
  return false;
}
