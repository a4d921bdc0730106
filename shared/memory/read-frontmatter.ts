import matter from "gray-matter";
import { LIMITS } from "../limits.ts";
import { findFrontmatter, opensFrontmatter } from "./find-frontmatter.ts";
import { parseYamlFields, type YamlFields } from "./parse-yaml-fields.ts";

/**
 * A memory's frontmatter as untrusted input. gray-matter, which splits the file, would run `---js` as a program with
 * the reader's rights; two nets stand before that. A first line of anything but exactly `---` never reaches it, and
 * each of its engines is replaced by one that throws, YAML by our own. It is always called with options: without them
 * it keeps every text for good in a cache that `constructor` or `__proto__` as a text can poison.
 */

export interface Frontmatter extends YamlFields {
  readonly body: string;
  /** False also where it is too large or never closed. */
  readonly found: boolean;
}

/** Never throws. Expects `\n` line ends and no BOM. */
export function readFrontmatter(text: string): Frontmatter {
  const span = findFrontmatter(text);
  if (span === null) {
    const message = opensFrontmatter(text) ? "is never closed by a line of ---" : "is missing: no first line of ---";
    return { ...nothing(message), body: text, found: false };
  }
  const source = text.slice(span.start, span.end);
  const body = text.slice(span.bodyStart);
  const bound = brokenBound(source);
  return bound === null ? { ...splitAndParse(source), body, found: true } : { ...nothing(bound), body, found: false };
}

function splitAndParse(source: string): YamlFields {
  try {
    const { data } = matter(`---\n${source}---\n`, FRONTMATTER_OPTIONS);
    // gray-matter calls no engine for frontmatter of nothing but comments
    return Object.hasOwn(data, "values") ? (data as YamlFields) : nothing("is empty");
  } catch {
    return nothing("cannot be read");
  }
}

/** Exported for the test that holds every engine against every spelling of its name. */
export const FRONTMATTER_OPTIONS = {
  language: "yaml",
  delimiters: ["---", "---\n"] as [string, string],
  engines: {
    yaml: (source: string): object => parseYamlFields(source),
    yml: refuse,
    json: refuse,
    javascript: refuse,
    js: refuse,
    coffee: refuse,
    coffeescript: refuse,
    cson: refuse,
    toml: refuse,
  },
};

function refuse(): never {
  throw new TypeError("Cannot read frontmatter in another language than YAML");
}

function nothing(message: string): YamlFields {
  return { values: new Map(), lines: new Map(), problems: [{ field: "frontmatter", line: 1, message }] };
}

/** Before anything parses it: megabyte values, alias bombs and deep nesting end here. */
function brokenBound(source: string): string | null {
  if (Buffer.byteLength(source) > LIMITS.frontmatterSizeBytesMax) {
    return `is larger than ${LIMITS.frontmatterSizeBytesMax} bytes`;
  }
  const lines = source.split("\n").length - 1;
  return lines > LIMITS.frontmatterLinesMax ? `has more than ${LIMITS.frontmatterLinesMax} lines` : null;
}
