import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap } from "yaml";
import { LIMITS } from "../limits.ts";
import { isIntricateYaml } from "./is-intricate-yaml.ts";
import { recoverFields } from "./recover-fields.ts";

/** What is wrong with a file, for people and never in its words. */
export interface MemoryProblem {
  readonly field: string;
  /** The file's own line, from 1. */
  readonly line: number;
  /** Goes on after the field's name: "is given twice". */
  readonly message: string;
}

export interface YamlFields {
  /** By key as written; values are text, lists and maps of text: `no`, dates and `1e3` stay what the author wrote. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The line of each outer key, and of each key one below as `metadata.type`. */
  readonly lines: ReadonlyMap<string, number>;
  readonly problems: readonly MemoryProblem[];
}

/** Text, lists and maps only; no aliases, merge keys or tags; messages of our own, because yaml's quote the source. */
const YAML_OPTIONS = {
  schema: "failsafe",
  version: "1.2",
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: true,
  prettyErrors: false,
  logLevel: "error",
} as const;

const TWICE = "DUPLICATE_KEY";

/** By code of the yaml package; each goes on after the field's name. */
const MESSAGES: Readonly<Record<string, string>> = {
  [TWICE]: "is given twice; the last one counts",
  TAB_AS_INDENT: "is indented with a tab; YAML takes spaces only",
  BLOCK_AS_IMPLICIT_KEY: "has a colon in its value; put the value in quotes",
  BAD_SCALAR_START: "starts with a character that YAML reserves; put the value in quotes",
  MISSING_CHAR: "lacks a colon, or a quote or bracket that closes",
};
const MESSAGE_OTHERWISE = "is not valid YAML; put the value in quotes";

/**
 * Never loses a field that stands on a line of its own: what YAML refuses is read line by line, with the problem told.
 * Lines count from 1 at the first of `source`, which is where gray-matter leaves the rest of the opening `---`.
 */
export function parseYamlFields(source: string): YamlFields {
  const recovered = recoverFields(source);
  if (isIntricateYaml(source)) return { ...recovered, problems: [INTRICATE] };
  const counter = new LineCounter();
  const lineAt = (offset: number) => counter.linePos(offset).line;
  const document = parseDocument(source, { ...YAML_OPTIONS, lineCounter: counter });
  const errors = document.errors.slice(0, LIMITS.problemsPerMemoryMax);
  const problems = errors.map(({ code, pos }) => toProblem(code, lineAt(pos[0]), recovered.lines));
  if (document.errors.some(({ code }) => code !== TWICE)) return { ...recovered, problems };
  if (!isMap(document.contents)) return { ...recovered, problems: [...problems, NO_FIELDS] };
  return toFields(document.contents, lineAt, problems);
}

const NO_FIELDS: MemoryProblem = { field: "frontmatter", line: 1, message: "has no fields" };
const INTRICATE: MemoryProblem = { field: "frontmatter", line: 1, message: "is nested deeper than notes need" };

function toProblem(code: string, line: number, fieldLines: ReadonlyMap<string, number>): MemoryProblem {
  const field = [...fieldLines].findLast(([, start]) => start <= line)?.[0] ?? "";
  return { field: toNamed(field), line, message: MESSAGES[code] ?? MESSAGE_OTHERWISE };
}

const NAMED: ReadonlySet<string> = new Set(["name", "description", "type", "metadata", "originSessionId", "modified"]);

/** A field as messages may name it: a key that is not ours is its author's text and stays out of them. */
export function toNamed(field: string): string {
  return NAMED.has(field) ? field : "frontmatter";
}

function toFields(map: YAMLMap, lineAt: (offset: number) => number, problems: readonly MemoryProblem[]): YamlFields {
  const values = new Map<string, unknown>();
  const lines = new Map<string, number>();
  const aliases: MemoryProblem[] = [];
  for (const { key, value } of map.items) {
    const name = textOf(key);
    const line = isScalar(key) ? lineAt(key.range?.[0] ?? 0) : 1;
    if (hasAlias(value)) aliases.push({ field: toNamed(name), line, message: "refers to another value; write it out" });
    values.set(name, toValue(value));
    lines.set(name, line);
    for (const child of isMap(value) ? value.items : []) {
      if (isScalar(child.key)) lines.set(`${name}.${textOf(child.key)}`, lineAt(child.key.range?.[0] ?? 0));
    }
  }
  return { values, lines, problems: [...problems, ...aliases] };
}

function toValue(node: unknown): unknown {
  if (isMap(node)) return new Map(node.items.map(({ key, value }) => [textOf(key), toValue(value)]));
  if (isSeq(node)) return node.items.map(toValue);
  return textOf(node);
}

function textOf(node: unknown): string {
  return isScalar(node) && typeof node.value === "string" ? node.value : "";
}

function hasAlias(node: unknown): boolean {
  if (isMap(node)) return node.items.some(({ key, value }) => hasAlias(key) || hasAlias(value));
  return isSeq(node) ? node.items.some(hasAlias) : isAlias(node);
}
