/** Letters of Greek and Cyrillic that are drawn like Latin ones, and dashes like the hyphen. As escapes: they cannot be told apart. */
const DRAWN_LIKE: readonly (readonly [string, string])[] = [
  ["A", "\u0391\u0410"],
  ["B", "\u0392\u0412"],
  ["C", "\u0421"],
  ["E", "\u0395\u0415"],
  ["H", "\u0397\u041d"],
  ["I", "\u0399\u0406"],
  ["J", "\u0408"],
  ["K", "\u039a\u041a"],
  ["M", "\u039c\u041c"],
  ["N", "\u039d"],
  ["O", "\u039f\u041e"],
  ["P", "\u03a1\u0420"],
  ["S", "\u0405"],
  ["T", "\u03a4\u0422"],
  ["X", "\u03a7\u0425"],
  ["Y", "\u03a5"],
  ["Z", "\u0396"],
  ["a", "\u0430"],
  ["c", "\u0441"],
  ["d", "\u0501"],
  ["e", "\u0435"],
  ["h", "\u04bb"],
  ["i", "\u0456"],
  ["j", "\u0458"],
  ["o", "\u03bf\u043e"],
  ["p", "\u0440"],
  ["q", "\u051b"],
  ["s", "\u0455"],
  ["v", "\u03bd"],
  ["w", "\u051d"],
  ["x", "\u0445"],
  ["y", "\u0443"],
  ["-", "\u2010\u2011\u2012\u2013\u2014"],
];

const LATIN = new Map(DRAWN_LIKE.flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)));

/** `char`, or the ASCII character that it is drawn like. */
export function toLatin(char: string): string {
  return LATIN.get(char) ?? char;
}
