import { findFrontmatter } from "../../shared/memory/find-frontmatter.ts";

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
  const shortest = Math.min(first.length, second.length);
  const start = countAlike(shortest, (at) => first[at] === second[at]);
  const end = countAlike(shortest - start, (at) => first.at(-1 - at) === second.at(-1 - at));
  return [...first.slice(0, first.length - end), ...second.slice(start)];
}

function countAlike(most: number, isAlike: (at: number) => boolean): number {
  for (let at = 0; at < most; at += 1) if (!isAlike(at)) return at;
  return most;
}

function toLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
