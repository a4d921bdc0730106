import { TeamMemoryError } from "../errors/team-memory-error.ts";
import { LIMITS } from "../limits.ts";
import { escapeForDisplay } from "../path/escape-for-display.ts";
import type { ProjectName } from "./parse-project-name.ts";

/**
 * Which projects a role is for. `*` alone is every project; as the last segment it stands for one or more segments
 * (`github.com/acme/*` is every project below acme, not acme itself); anywhere else for any part of one segment
 * (`github.com/acme/shop-*`). No other wildcards.
 */
export type ProjectPattern = string & { readonly __brand: "ProjectPattern" };

const SEGMENT = /^[a-z0-9._*-]+$/;

/** Throws `bad_request` that names the pattern. */
export function parseProjectPattern(text: unknown): ProjectPattern {
  if (typeof text !== "string") throw refusal(typeof text, "is not text");
  if (text.length > LIMITS.projectNameLengthMax) {
    throw refusal(text, `is longer than ${LIMITS.projectNameLengthMax} characters`);
  }
  for (const segment of text.split("/")) {
    if (segment === "") throw refusal(text, "has an empty segment");
    if (!SEGMENT.test(segment)) throw refusal(text, "has a segment with other characters than a-z 0-9 . _ - *");
    if (segment.includes("**")) throw refusal(text, "has ** where one * is meant");
  }
  return text as ProjectPattern;
}

/** Does the pattern cover the project? Never throws: what is no pattern covers nothing but its own letters. */
export function matchesProject(pattern: string, project: ProjectName): boolean {
  const wanted = pattern.split("/");
  const given = project.split("/");
  const openEnded = wanted.at(-1) === "*";
  if (openEnded) wanted.pop();
  if (openEnded ? given.length <= wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, index) => matchesSegment(segment, given[index] ?? ""));
}

export function matchesAny(patterns: readonly string[], project: ProjectName): boolean {
  return patterns.some((pattern) => matchesProject(pattern, project));
}

/**
 * Does the one pattern cover all that the other does? Read as a name, a pattern has its stars as letters: what matches it
 * matches whatever they stand for.
 */
export function coversPattern(one: string, other: string): boolean {
  return matchesProject(one, other as ProjectName);
}

/** Each part between stars is searched once, leftmost first: no backtracking, whatever the number of stars. */
function matchesSegment(pattern: string, segment: string): boolean {
  const [head = "", ...parts] = pattern.split("*");
  const tail = parts.pop();
  if (tail === undefined) return pattern === segment;
  if (segment.length < head.length + tail.length || !segment.startsWith(head) || !segment.endsWith(tail)) return false;
  const end = segment.length - tail.length;
  let at = head.length;
  for (const part of parts) {
    const found = segment.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function refusal(pattern: string, rule: string): TeamMemoryError {
  const shown = escapeForDisplay(pattern);
  return new TeamMemoryError("bad_request", `Cannot read a project pattern: ${shown} ${rule}`, {
    details: { field: "projects", pattern: shown, rule },
  });
}
