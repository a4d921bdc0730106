import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";

/**
 * Where the values of a JSON text stand, so that a settings file can be changed by inserting and cutting a few characters:
 * written anew from its values it would lose number spellings, keys that stand twice, and the order of keys that look like
 * numbers. For text that JSON.parse has accepted already; it checks nothing again.
 */
export interface JsonNode {
  readonly kind: "object" | "array" | "scalar";
  /** Offset of the first character, and the one behind the last. */
  readonly start: number;
  readonly end: number;
  readonly children: readonly JsonChild[];
}

export interface JsonChild {
  /** Of an object's member; null in an array. */
  readonly key: string | null;
  /** Where the member begins, its key included. */
  readonly start: number;
  readonly value: JsonNode;
}

const BLANK = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const LITERAL = /[^\s,\]}]+/y;

/** @throws TeamMemoryError `settings_invalid` for text nested deeper than its bound */
export function scanJson(text: string): JsonNode {
  let at = text.startsWith("\uFEFF") ? 1 : 0;

  function take(token: RegExp): string {
    token.lastIndex = at;
    const found = token.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  }

  function scanValue(depth: number): JsonNode {
    if (depth > LIMITS.settingsDepthMax) throw tooDeep();
    take(BLANK);
    if (text[at] === "{") return scanContainer("object", depth);
    if (text[at] === "[") return scanContainer("array", depth);
    const start = at;
    take(text[at] === '"' ? STRING : LITERAL);
    return { kind: "scalar", start, end: at, children: [] };
  }

  function scanContainer(kind: "object" | "array", depth: number): JsonNode {
    const start = at;
    const children: JsonChild[] = [];
    at += 1;
    for (take(BLANK); !isClosing(text[at]); take(BLANK)) {
      children.push(scanChild(kind, depth));
      take(BLANK);
      if (text[at] === ",") at += 1;
    }
    at += 1;
    return { kind, start, end: at, children };
  }

  function scanChild(kind: "object" | "array", depth: number): JsonChild {
    const start = at;
    if (kind === "array") return { key: null, start, value: scanValue(depth + 1) };
    const key = JSON.parse(take(STRING)) as string;
    take(BLANK);
    at += 1;
    return { key, start, value: scanValue(depth + 1) };
  }

  return scanValue(0);
}

function isClosing(character: string | undefined): boolean {
  return character === "}" || character === "]" || character === undefined;
}

function tooDeep(): TeamMemoryError {
  return new TeamMemoryError("settings_invalid", `Could not read JSON nested over ${LIMITS.settingsDepthMax} levels`);
}
