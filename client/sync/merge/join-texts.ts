import { findFrontmatter } from "../../../shared/memory/find-frontmatter.ts";
import { findCommonEnds } from "../../../shared/sync/common-ends.ts";

/**
 * One text that holds both of two that do not merge: the reviewed one's frontmatter, then what the bodies begin with alike,
 * the reviewed one's own lines, mine, and what they end with alike. No line of a body is lost, and no marker stands between
 * them. Canonical texts in, a canonical text out. Pure.
 */
export function joinTexts(reviewed: string, mine: string): string {
  const at = findFrontmatter(reviewed)?.bodyStart ?? 0;
  const lines = joinLines(toLines(reviewed.slice(at)), toLines(mine.slice(findFrontmatter(mine)?.bodyStart ?? 0)));
  return reviewed.slice(0, at) + lines.map((line) => `${line}\n`).join("");
}

function joinLines(first: readonly string[], second: readonly string[]): string[] {
  const { start, end } = findCommonEnds(first, second);
  return [...first.slice(0, first.length - end), ...second.slice(start)];
}

function toLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
