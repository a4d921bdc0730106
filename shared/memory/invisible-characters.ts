import { hasInvisible, withoutEmojiJoiners } from "../path/characters.ts";

/** Joiners that the letters of Persian or Hindi need between them. */
const LETTER_JOINER = /(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L})/gu;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Seen by no reviewer and read by every model: controls, bidi overrides, zero-width and filler letters, tags. */
export function isInvisible(char: string): boolean {
  return CONTROL.test(char) || hasInvisible(char);
}

/**
 * The first invisible character of a single-line value as `U+202E`, or null. Joiners and selectors pass where visible
 * text needs them: in emoji and between letters.
 */
export function findInvisible(text: string): string | null {
  const strays = withoutEmojiJoiners(text).replace(LETTER_JOINER, "");
  const found = Array.from(strays).find(isInvisible)?.codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
}

const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;

/** One line: each run of white space and controls becomes one space. A text with a stray invisible loses them all. */
export function toVisibleLine(text: string): string {
  // Nothing in it is invisible, and what tells so of all of Unicode takes longer to make ready than an index to build.
  if (PLAIN_LINE.test(text)) return text;
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  if (findInvisible(line) === null) return line;
  return Array.from(line, (char) => (isInvisible(char) ? "" : char))
    .join("")
    .replace(/ {2,}/g, " ")
    .trim();
}
