import { toLatin } from "./lookalikes.ts";

/**
 * A text as a person, a model or a program would read it, where that differs from its characters: what was put between the
 * parts of a secret is taken out. Each change only joins or unfolds; nothing that the text holds is lost from the first
 * reading, which is the text itself.
 */
export interface Reading {
  readonly text: string;
  /** Offsets in `text` where an end of line was taken out, ascending. */
  readonly joins: readonly number[];
}

/** Stands where a line end was taken out, until its place is noted; a text's own are taken out before. */
const JOIN = "\r";

/** No mark of its own: default-ignorable (zero width, soft hyphen, selectors, tags), bidi and other controls, blanks. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}|[\u2800\ufffc]|(?![\n\t])\p{Cc}/gu;
/** Runs of all but printable ASCII. */
const UNUSUAL = /[^\n\t\x20-\x7e]+/g;
const UNFOLDED_LENGTH_MAX = 4;
/** Attack: written by number or name: `&#103;`, `&shy;`, `%67`, `\u0067`. */
const ESCAPED =
  /&#x0{0,6}([0-9a-f]{2,5});|&#0{0,6}(\d{2,6});|&(\w{2,24});|%([2-7][0-9a-f])|\\u\{?([0-9a-f]{4})\}?|\\x([0-9a-f]{2})/gi;
const UNSEEN_ENTITY =
  /^(?:shy|zwj|zwnj|lrm|rlm|ZeroWidthSpace|NoBreak|InvisibleComma|InvisibleTimes|ApplyFunction|ic|it|af)$/i;
const NAMED_ENTITY = new Map([
  ["lowbar", "_"],
  ["hyphen", "-"],
  ["dash", "-"],
  ["period", "."],
  ["sol", "/"],
  ["colon", ":"],
  ["equals", "="],
  ["plus", "+"],
  ["commat", "@"],
  ["amp", "&"],
  ["quot", '"'],
]);

/** Attack: markup, comments, quotes and line ends between two parts of one word. */
const SEAM = new RegExp(
  [
    String.raw`\*{1,3}|~~|\x60{1,2}|\[\]|\\(?!\n)`, // emphasis, escapes
    String.raw`<!--[^<>\n]{0,100}-->|</?[a-z][^<>\n]{0,60}>`, // comments, tags
    String.raw`\\\n[ \t>#/*]{0,20}`, // a line continued
    String.raw`["'\x60][ \t\n+.&\\]{0,40}["'\x60]`, // strings added up
  ]
    .map((seam) => `(?<=[\\w+/=-])(?:${seam})(?=[\\w+/=-])`)
    .join("|"),
  "gi",
);
const MAYBE_SEAMED = /[*~`\\<"'[]/;
const MAYBE_ESCAPED = /[&%\\]/;

/** The text, and where it differs, the text without what hides. */
export function toReadings(text: string): readonly Reading[] {
  const plain = joinSeams(unescapeCharacters(toVisible(text)));
  const asWritten: Reading = { text, joins: [] };
  return plain === text ? [asWritten] : [asWritten, noteJoins(plain)];
}

function toVisible(text: string): string {
  return text.replace(UNUSUAL, (run) => {
    const visible = run.replace(INVISIBLE, "");
    const folded = visible.normalize("NFKC").replace(INVISIBLE, "");
    // One ligature unfolds into eighteen letters: none that imitates a letter into more than a few.
    const letters = folded.length > visible.length * UNFOLDED_LENGTH_MAX ? visible : folded;
    return Array.from(letters, toLatin).join("");
  });
}

function unescapeCharacters(text: string): string {
  if (!MAYBE_ESCAPED.test(text)) return text;
  return text.replace(ESCAPED, (written, hex, decimal, name, percent, unicode, byte) => {
    if (name !== undefined) return UNSEEN_ENTITY.test(name) ? "" : (NAMED_ENTITY.get(name) ?? written);
    return (
      toCharacter(decimal === undefined ? Number.parseInt(hex ?? percent ?? unicode ?? byte, 16) : Number(decimal)) ??
      written
    );
  });
}

/** Visible ASCII, nothing for what cannot be seen, or null: another character stays as it was written. */
function toCharacter(codePoint: number): string | null {
  if (codePoint > 0x20 && codePoint < 0x7f) return String.fromCodePoint(codePoint);
  if (codePoint < 0x80 || codePoint > 0x10ffff) return null;
  return String.fromCodePoint(codePoint).replace(INVISIBLE, "") === "" ? "" : null;
}

function joinSeams(text: string): string {
  if (!MAYBE_SEAMED.test(text)) return text;
  return text.replace(SEAM, (seam) => JOIN.repeat(seam.split("\n").length - 1));
}

function noteJoins(text: string): Reading {
  const joins: number[] = [];
  const parts = text.split(JOIN);
  let length = 0;
  for (const part of parts.slice(0, -1)) {
    length += part.length;
    joins.push(length);
  }
  return { text: parts.join(""), joins };
}
