/**
 * Classes of characters that several rules and the display share. They are Unicode properties wherever one exists, so
 * that they hold for characters nobody thought of; the lists are of what has no property. Written as escapes: a class that
 * cannot be seen in the source cannot be reviewed.
 */

/** No ink, though no property says so: braille blank, null notehead, Khitan filler, Egyptian blanks, object replacement. */
const BLANK = /[\u2800\ufffc\u{1d159}\u{16fe4}\u{13441}\u{13442}]|\p{Default_Ignorable_Code_Point}|\p{Cf}/u;

/** Whether `text` has a character that leaves no mark of its own: invisible, bidi control, tag, filler or joiner. */
export function hasInvisible(text: string): boolean {
  return BLANK.test(text);
}

/**
 * Emoji as people type them: pictographs with a variation selector or a skin tone, held together by joiners, and keycaps.
 * Only there do the two invisible characters stand for something that is seen. The property reserves code points for
 * pictographs to come, so that an older runtime agrees with a newer one on what is well-formed.
 */
const PICTOGRAPH = String.raw`\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?`;
const EMOJI = new RegExp(String.raw`[#0-9]\ufe0f\u20e3|${PICTOGRAPH}(?:\u200d${PICTOGRAPH})*`, "gu");

/** `text` with the invisible parts of well-formed emoji left out; stray ones stay. */
export function withoutEmojiJoiners(text: string): string {
  return text.replace(EMOJI, (emoji) => emoji.replace(/[\ufe0f\u200d]/gu, ""));
}

/**
 * Drawn like `/ \ .` or `:`, and no part of a script: letters and punctuation that people write words with (the Japanese
 * no, the visarga) are not here. The ideographic full stop is one at the start of a segment alone, where no title has it.
 */
const LOOKALIKE = new RegExp(
  [
    String.raw`[\u1735\u2041\u2044\u2215\u2571\u27cb\u29f6\u29f8\u2afb\u2afd\u2e4a\u3033\u31d3\u{1d23a}\u{1f67c}]`, // slash
    String.raw`[\u2216\u2572\u27cd\u29f5\u29f7\u29f9\u3035\u31d4\u{1d20f}\u{1d23b}\u{1f67d}]`, // backslash
    String.raw`[\u0337\u0338\u20e5\u20eb]`, // marks that draw a slash over a letter
    String.raw`[\u2024-\u2026\u2e3c\ufe52\uff0e\uff61\u{1d16d}]|(?:^|\/)\u3002`, // dot
    String.raw`[\u02d0\u02f8\u16ec\u205a\u2236\u2982\ua789]`, // colon
    String.raw`[\ufe68\uff0f\uff3c]`, // forms that NFKC turns into the character itself
  ].join("|"),
  "u",
);

export function hasLookalike(text: string): boolean {
  return LOOKALIKE.test(text);
}
