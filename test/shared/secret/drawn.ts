import { randomFrom } from "../../support/random.ts";

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const UPPER = LOWER.toUpperCase();
const ALPHABETS = {
  hex: `${DIGITS}abcdef`,
  lower: LOWER + DIGITS,
  upper: UPPER + DIGITS,
  letters: LOWER + UPPER + DIGITS,
  word: `${LOWER}${UPPER}${DIGITS}_-`,
  base64: `${LOWER}${UPPER}${DIGITS}+/`,
  digits: DIGITS,
} as const;

export type Piece = string | readonly [keyof typeof ALPHABETS, number];

/**
 * A secret of some shape, drawn when the test runs: no real one, and none that stands in the source. Text pieces stay, a
 * pair is so many characters of an alphabet.
 */
export function draw(seed: number, ...pieces: readonly Piece[]): string {
  const random = randomFrom(seed);
  return pieces.map((piece) => (typeof piece === "string" ? piece : drawFrom(random, ...piece))).join("");
}

function drawFrom(random: () => number, alphabet: keyof typeof ALPHABETS, length: number): string {
  const characters = ALPHABETS[alphabet];
  return Array.from({ length }, () => characters.charAt(Math.floor(random() * characters.length))).join("");
}
