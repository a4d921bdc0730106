import { findInvisible, isInvisible } from "../shared/memory/invisible-characters.ts";

/**
 * Memory text, keys and service messages may hold control sequences that move the cursor, retitle the window or hide
 * what was printed before them, bidi marks that reorder it, and characters that nobody sees but whoever copies them. In a
 * line with any of those all are spelled out, a line break too; tabs stay, and so does what emoji and letters need.
 */
export function escapeForTerminal(line: string): string {
  if (!isInvisible(line) || findInvisible(line.replaceAll("\t", " ")) === null) return line;
  return Array.from(line, (char) => (char === "\t" || !isInvisible(char) ? char : spellOut(char))).join("");
}

function spellOut(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The same for JSON, which has its own way to spell characters: whoever parses it gets the data that it was. */
export function escapeJson(json: string): string {
  if (!isInvisible(json)) return json;
  return Array.from(json, (char) => (isInvisible(char) ? toJsonEscape(char) : char)).join("");
}

function toJsonEscape(char: string): string {
  return Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
    "",
  );
}
