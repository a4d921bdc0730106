/**
 * Whether a value was drawn by a machine, or written by a person: a name, a path, a version. Measured on what tells the two
 * apart: words are pronounceable and stand in one case, random text changes between letters and digits all the time.
 */
import { LIMITS } from "../limits.ts";

/** Letters that stand alone or in pairs in names of things. */
const SHORT_WORD =
  /^(?:v|x|h|s|k|p|n|m|i|db|us|eu|ap|id|js|ts|io|ai|my|s3|st|nd|rd|th|rc|go|py|ca|ui|ux|qa|pr|ci|cd|ip|os|vm|az|gb|mb|kb|ms|is|to|or|by|of|in|no|on|at|as|an|if|be|do|up|we|so|it|he)$/i;
const VOWEL = /[aeiouy]/i;
const WORD_LENGTH_MAX = 14;
const UNSPEAKABLE = /[^\W\daeiouy_]{6}/i;
const DATE = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?$/;
const DURATION = /^(?:\d+(?:ms|[smhdwy]))+$/i;
const EMAIL = /^[\w.+-]+@[\w.-]+\.[a-z]{2,}$/i;

/** Fewer bits a character than this is repetition: of long texts, and of short ones. */
const ENTROPY_BITS_MIN = 2.8;
const SHORT_ENTROPY_BITS_MIN = 2.2;
const SHORT_LENGTH_MAX = 24;
/** One change of kind in so many characters at least; and in so few, what stands between is no word. */
const CHARACTERS_PER_CHANGE_MAX = 7.5;
const CHARACTERS_PER_CHANGE_OF_WORDS_MIN = 4.5;

export function looksRandom(value: string): boolean {
  const text = value.slice(0, LIMITS.secretValueLengthMax);
  if (text.length < LIMITS.secretValueLengthMin || isDated(text)) return false;
  if (entropyBits(text) < (text.length < SHORT_LENGTH_MAX ? SHORT_ENTROPY_BITS_MIN : ENTROPY_BITS_MIN)) return false;
  const changes = countChanges(text);
  if (changes < 3 || changes * CHARACTERS_PER_CHANGE_OF_WORDS_MIN < text.length) {
    if (isWordy(text)) return false;
  }
  return changes >= Math.max(3, text.length / CHARACTERS_PER_CHANGE_MAX) || UNSPEAKABLE.test(text);
}

function isDated(text: string): boolean {
  return DATE.test(text) || DURATION.test(text) || EMAIL.test(text);
}

/** Every run of letters, cut at capitals, could be said aloud. */
function isWordy(text: string): boolean {
  const words = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return words.every((part) => SHORT_WORD.test(part) || isWord(part));
}

function isWord(part: string): boolean {
  return part.length >= 3 && part.length <= WORD_LENGTH_MAX && VOWEL.test(part) && !/[^aeiouy]{5}/i.test(part);
}

/** Shannon's, in bits a character. */
export function entropyBits(text: string): number {
  const counts = new Map<number, number>();
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** How often neighbours differ in kind: letter, capital, digit, symbol. Separators and a word's capital are no change. */
function countChanges(text: string): number {
  return (
    text.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])|[A-Za-z\d](?=[!@#$%^&*?+=])|[!@#$%^&*?+=](?=[A-Za-z\d])/g)
      ?.length ?? 0
  );
}
