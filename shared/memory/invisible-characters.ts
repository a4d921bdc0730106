/**
 * Characters that a reviewer cannot see and a model can read: controls, bidi overrides, zero-width and filler letters,
 * tags, selectors. What visible text needs passes: joiners between letters or emoji, and the selector behind a symbol
 * that asks for its coloured or its plain form.
 */
const NEEDED_JOINER = String.raw`(?<=[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d](?=[\p{L}\p{Extended_Pictographic}])`;
const NEEDED_SELECTOR = String.raw`(?<=[\p{Emoji}\p{S}])[\ufe0e\ufe0f]`;
const INVISIBLE = String.raw`[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u2800]`;
const IN_CONTEXT = new RegExp(`${NEEDED_JOINER}|${NEEDED_SELECTOR}|(?<invisible>${INVISIBLE})`, "gu");

/** Any one of them, needed or not. */
export const INVISIBLE_CHARACTER: RegExp = new RegExp(INVISIBLE, "u");

/** The first invisible character as `U+202E`, or null. Line ends and tabs count: meant for single-line values. */
export function findInvisible(text: string): string | null {
  for (const { groups } of text.matchAll(IN_CONTEXT)) {
    const char = groups?.["invisible"];
    if (char !== undefined) return `U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
  }
  return null;
}

/** One line without invisible characters: each run of white space and controls becomes one space. */
export function toVisibleLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(IN_CONTEXT, (match, invisible: string | undefined) => (invisible === undefined ? match : ""))
    .replace(/ {2,}/g, " ")
    .trim();
}
