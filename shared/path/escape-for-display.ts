import { LIMITS } from "../limits.ts";
import { hasInvisible } from "./characters.ts";

/**
 * Text that others wrote, as one bounded line that no terminal, log or page acts upon: printable ASCII, ordinary letters,
 * digits and emoji stay; anything else (controls, invisible and bidi characters, look-alikes, lone surrogates) is
 * written `\u{…}`, and a backslash `\\`, so that no text can imitate an escape. Cut with `...`, never inside a character.
 */
export function escapeForDisplay(text: string): string {
  let shown = "";
  let cut = "";
  for (const character of text.slice(0, LIMITS.displayLengthMax + 1)) {
    shown += escapeCharacter(character);
    if (shown.length > LIMITS.displayLengthMax) return cut;
    if (shown.length <= LIMITS.displayLengthMax - ELLIPSIS.length) cut = shown + ELLIPSIS;
  }
  return shown;
}

const ELLIPSIS = "...";

function escapeCharacter(character: string): string {
  if (character === "\\") return "\\\\";
  return isOrdinary(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Marks that belong to one script (vowel signs of Hindi or Thai) are part of its letters; the others overlay anything. */
const ORDINARY =
  /^(?:[ -~]|\p{L}|\p{N}|(?!\p{Cn})\p{Extended_Pictographic}|(?!\p{Script=Inherited}|\p{Script=Common})\p{M})$/u;

function isOrdinary(character: string): boolean {
  return ORDINARY.test(character) && !hasInvisible(character) && character.normalize("NFKC") === character;
}
