/**
 * Classes of characters that several rules and the display share. They are Unicode properties wherever one exists, so
 * that they hold for characters nobody thought of; the few lists are of what has no property.
 */

/** No ink, yet no property says so: braille blank, null notehead, Khitan filler, Egyptian blanks. */
const BLANK = /[\u2800\u{1d159}\u{16fe4}\u{13441}\u{13442}\ufffc]|\p{Default_Ignorable_Code_Point}|\p{Cf}/u;

/** Whether `text` has a character that leaves no mark of its own: invisible, bidi control, tag, filler or joiner. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/**
 * Emoji people type: a pictograph with a variation selector, a keycap, pictographs held together by joiners. Only there
 * do the two invisible characters stand for something that is seen. The properties reserve code points for emoji to
 * come, so that an older runtime agrees with a newer one.
 */
const EMOJI =
  /[#*0-9]\ufe0f?\u20e3|\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?(?:\u200d\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)*/gu;

/** `text` with the invisible parts of well-formed emoji left out; stray ones stay. */
export function withoutEmojiJoiners(text: string): string {
  return text.replace(EMOJI, (emoji) => emoji.replace(/[\ufe0f\u200d]/gu, ""));
}

/** Drawn like `/ \ .` or `:` and left alone by NFKC. Letters and punctuation that a script needs are not here. */
export const LOOKALIKE = new RegExp(
  [
    String.raw`[\u2044\u2215\u2571\u29f8\u27cb\u29f6\u2e4a\u2afb\u2afd\u{1f67c}]`, // slashes
    String.raw`[\u2216\u29f5\u29f9\u2572\u27cd\u29f7\u{1f67d}]`, // backslashes
    String.raw`[\u0337\u0338\u20e5\u20eb]`, // marks that overlay a slash
    String.raw`[\u2024\u2025\u2026\uff0e\uff0f\uff3c\uff61\ufe52\ufe68\u2e3c\u{1d16d}]`, // dots
    String.raw`[\ua789\u2236\u02d0\u02f8\u205a]`, // colons
  ].join("|"),
  "u",
);
