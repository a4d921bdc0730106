import { parseYamlFields } from "../memory/parse-yaml-fields.ts";

/** A field of a map or an item of a list, as its author wrote it: whole lines, all of them once. */
export interface Entry {
  /** A field's name; an item's value as text. Once in its map or list. */
  readonly id: string;
  /** The comments and empty lines above it. */
  readonly above: string;
  readonly source: string;
  /** As parseYamlFields reads it. */
  readonly value: unknown;
}

export interface Entries {
  readonly entries: readonly Entry[];
  /** The comments and empty lines below the last one. */
  readonly rest: string;
}

export const NO_ENTRIES: Entries = { entries: [], rest: "" };

/** The fields of a block map at the left margin. Null: YAML objects, or it is not in block form. */
export function splitMap(source: string): Entries | null {
  const { values, lines, problems } = parseYamlFields(source);
  if (problems.length > 0 || /^\s*\{/.test(source)) return null;
  const named = [...values].map(([id, value]) => ({ id, value, start: (lines.get(id) ?? 0) - 1 }));
  return splitAtStarts(source, named);
}

/** The items of a block list at the left margin, whose values are known. Null: they are not where they should be. */
export function splitList(source: string, values: readonly unknown[]): Entries | null {
  const starts = source.split("\n").flatMap((line, index) => (/^-(?:[ \t]|$)/.test(line) ? [index] : []));
  if (starts.length !== values.length) return null;
  return splitAtStarts(
    source,
    values.map((value, index) => ({ id: toIdentity(value), value, start: starts[index] ?? -1 })),
  );
}

/** A value as text: equal where the values are, whatever their quotes and their place. */
export function toIdentity(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (inner instanceof Map ? { map: [...inner] } : inner));
}

interface Start {
  readonly id: string;
  readonly value: unknown;
  /** Line from 0. */
  readonly start: number;
}

function splitAtStarts(source: string, starts: readonly Start[]): Entries | null {
  const lines = source.match(/[^\n]*\n/g) ?? [];
  const first = starts[0]?.start ?? lines.length;
  let above = lines.slice(0, first);
  if (!above.every(isFiller) || new Set(starts.map(({ id }) => id)).size < starts.length) return null;
  const entries: Entry[] = [];
  for (const [index, { id, value, start }] of starts.entries()) {
    const next = starts[index + 1]?.start ?? lines.length;
    if (next <= start) return null;
    const end = start + 1 + lines.slice(start + 1, next).findLastIndex((line) => !isFiller(line)) + 1;
    entries.push({ id, value, above: above.join(""), source: lines.slice(start, end).join("") });
    above = lines.slice(end, next);
  }
  return { entries, rest: above.join("") };
}

/** An indented `#` may be a line of a block of text: it stays where it is. */
function isFiller(line: string): boolean {
  return /^(?:#|[ \t]*\n)/.test(line);
}
