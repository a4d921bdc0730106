/**
 * Fields out of a frontmatter that is no valid YAML, line by line: `description: a: b` is what people and agents write,
 * and a memory that says it should be listed under its name. Read are `key: value` at the outermost margin and one
 * level below a key without a value; all values are text.
 */
export interface RecoveredFields {
  readonly values: ReadonlyMap<string, unknown>;
  /** The line of each outer key, from 1. */
  readonly lines: ReadonlyMap<string, number>;
}

export function recoverFields(source: string): RecoveredFields {
  const values = new Map<string, unknown>();
  const lines = new Map<string, number>();
  for (const { name, value, rest, line } of splitEntries(source)) {
    const children = value === "" ? childrenOf(rest) : null;
    values.set(name, children ?? toValue(value, rest));
    lines.set(name, line);
  }
  return { values, lines };
}

interface Entry {
  readonly name: string;
  readonly value: string;
  /** Lines indented below it, trimmed. */
  readonly rest: string[];
  readonly line: number;
}

const FIELD = /^([ \t]*)["']?([A-Za-z_][\w.-]*)["']?[ \t]*:(?:[ \t]+(.*))?$/;
const BLOCK_SCALAR = /^[|>][-+0-9]*$/;

function splitEntries(source: string): readonly Entry[] {
  const entries: Entry[] = [];
  let margin: number | null = null;
  for (const [index, text] of source.split("\n").entries()) {
    const [, indent = "", name, value = ""] = FIELD.exec(text) ?? [];
    margin ??= name === undefined ? null : indent.length;
    if (name !== undefined && (indent.length <= (margin ?? 0) || isComplete(entries.at(-1)))) {
      entries.push({ name, value: value.trim(), rest: [], line: index + 1 });
    } else if (/^[ \t]/.test(text)) entries.at(-1)?.rest.push(text.trim());
  }
  return entries;
}

/** A value on its own line takes no fields below it: one that is indented there, by a tab perhaps, is a slip. */
function isComplete(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.value !== "" && !BLOCK_SCALAR.test(entry.value);
}

function childrenOf(rest: readonly string[]): ReadonlyMap<string, string> | null {
  const children = new Map<string, string>();
  for (const text of rest) {
    const [, , name, value = ""] = FIELD.exec(text) ?? [];
    if (name !== undefined) children.set(name, toValue(value.trim(), []));
  }
  return children.size === 0 ? null : children;
}

function toValue(value: string, rest: readonly string[]): string {
  const text = [BLOCK_SCALAR.test(value) ? "" : value, ...rest].join(" ").trim();
  const [, , quoted] = /^(["'])(.*)\1$/.exec(text) ?? [];
  return quoted ?? text;
}
