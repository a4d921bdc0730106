import { LIMITS } from "../limits.ts";
import { hasInvisible } from "./characters.ts";

/**
 * Text that others wrote, as one bounded line that no terminal, log or page acts upon: printable ASCII, ordinary letters,
 * digits and emoji stay; anything else (controls, invisible and bidi characters, look-alikes, lone surrogates) is
 * written `\u{…}`, and a backslash `\\`, so that no text can imitate an escape. Cut with `...`.
 */
export function escapeForDisplay(text: string): string {
  let shown = "";
  for (const character of text.slice(0, LIMITS.displayLengthMax)) {
    shown += escapeCharacter(character);
    if (shown.length > LIMITS.displayLengthMax) break;
  }
  const whole = shown.length <= LIMITS.displayLengthMax && text.length <= LIMITS.displayLengthMax;
  return whole ? shown : `${shown.slice(0, LIMITS.displayLengthMax - 3)}...`;
}

function escapeCharacter(character: string): string {
  if (character === "\\") return "\\\\";
  if (isOrdinary(character)) return character;
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Marks that belong to a script (vowel signs of Hindi or Thai) are part of its letters; the shared ones overlay anything. */
const ORDINARY = /^(?:[ -~]|\p{L}|\p{N}|\p{Extended_Pictographic}|(?!\p{Script=Inherited}|\p{Script=Common})\p{M})$/u;

function isOrdinary(character: string): boolean {
  return ORDINARY.test(character) && !hasInvisible(character) && character.normalize("NFKC") === character;
}
