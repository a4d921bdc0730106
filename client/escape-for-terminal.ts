/**
 * Memory text, keys and service messages may hold control sequences that move the cursor, retitle the window or hide
 * what was printed before them, and bidi marks that reorder it. Printed, they are spelled out; tabs stay.
 */
export function escapeForTerminal(line: string): string {
  return line.replaceAll(HOSTILE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const HOSTILE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
