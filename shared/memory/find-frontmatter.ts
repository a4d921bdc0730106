/** Where the frontmatter lies in a text, as offsets; `end` is past the newline of its last line. */
export interface FrontmatterSpan {
  readonly start: number;
  readonly end: number;
  readonly bodyStart: number;
}

const FENCE = "---";
const OPENING = `${FENCE}\n`;

/**
 * Only a first line of exactly `---` opens frontmatter: `---js` and its kin name script engines elsewhere. The next
 * line of `---`, spaces after it aside, closes it. Null: no frontmatter, or it is never closed. Expects `\n` line ends
 * and no BOM. (No regular expression with the m flag: that one takes U+2028 for a line end, YAML and git do not.)
 */
export function findFrontmatter(text: string): FrontmatterSpan | null {
  if (!text.startsWith(OPENING)) return null;
  const start = OPENING.length;
  for (let at = start - 1; at !== -1; at = text.indexOf(`\n${FENCE}`, at + 1)) {
    const line = at + 1;
    if (!text.startsWith(FENCE, line)) continue;
    const newline = text.indexOf("\n", line);
    const lineEnd = newline === -1 ? text.length : newline;
    if (!/^[ \t]*$/.test(text.slice(line + FENCE.length, lineEnd))) continue;
    return { start, end: line, bodyStart: newline === -1 ? text.length : newline + 1 };
  }
  return null;
}

/** Does the text begin as frontmatter does, closed or not? */
export function opensFrontmatter(text: string): boolean {
  return text.startsWith(OPENING);
}
