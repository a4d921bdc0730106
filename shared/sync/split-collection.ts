import { splitFlow } from "../memory/split-flow.ts";
import { type Entries, type Entry, splitList, splitMap, toIdentity } from "./split-entries.ts";

/** A list or a map that is a field's value, with its entries in block form at the left margin. */
export interface Collection extends Entries {
  readonly kind: "list" | "map";
  /** The key as written, with its colon. */
  readonly head: string;
  /** What stands behind the head, or behind the closing bracket: a space and a comment, or nothing. */
  readonly note: string;
  /** Spaces before each entry of a block; null: in flow form. */
  readonly indent: number | null;
}

/** `key: [a, b]`, `key: { a: b }`, or the same over lines. Null: it is neither, or written in a way we do not take apart. */
export function splitCollection({ source, value }: Entry): Collection | null {
  const kind = kindOf(value);
  const head = HEAD.exec(source)?.[0];
  if (kind === null || head === undefined) return null;
  const behind = source.slice(head.length);
  const parts = /^[ \t]*[[{]/.test(behind) ? splitFlowForm(behind, value) : splitBlockForm(behind, value);
  return parts === null ? null : { kind, head, ...parts };
}

/** The field again. In flow form it takes one line, as does whatever is empty. */
export function joinCollection({ kind, head, note, indent, entries, rest }: Collection): string {
  const [open, close] = kind === "list" ? ["[", "]"] : ["{", "}"];
  const inBlock = indentBy(
    indent ?? DEFAULT_INDENT,
    entries.map(({ above, source }) => above + source).join("") + rest,
  );
  if (indent !== null && entries.length > 0) return `${head}${note}\n${inBlock}`;
  const items = entries.map(({ source }) => (kind === "list" ? source.slice(DASH.length) : source).trimEnd());
  return `${head} ${open}${items.join(", ")}${close}${note}\n${entries.length === 0 ? inBlock : ""}`;
}

const HEAD = /^["']?[\p{L}\p{N}_][\p{L}\p{N}_ .-]*(?:["'][ \t]*)?:/u;
const DASH = "- ";
const DEFAULT_INDENT = 2;

type Parts = Omit<Collection, "kind" | "head">;

function kindOf(value: unknown): Collection["kind"] | null {
  if (Array.isArray(value)) return "list";
  return value instanceof Map ? "map" : null;
}

function splitFlowForm(behind: string, value: unknown): Parts | null {
  const flow = splitFlow(behind);
  const end = /^[\]}]([ \t]+#[^\n]*)?[ \t]*\n$/.exec(flow?.after ?? "");
  if (flow === null || end === null) return null;
  const texts = flow.entries.map((text) => text.trim());
  if (texts.at(-1) === "") texts.pop();
  const children = childrenOf(value);
  const isOnce = new Set(children.map(({ id }) => id)).size === texts.length && children.length === texts.length;
  if (!isOnce || texts.some((text) => /\n|(?:^|[ \t])#/.test(text))) return null;
  const dash = Array.isArray(value) ? DASH : "";
  const entries = children.map((child, index) => ({ ...child, above: "", source: `${dash}${texts[index]}\n` }));
  return { note: end[1] ?? "", indent: null, entries, rest: "" };
}

function splitBlockForm(behind: string, value: unknown): Parts | null {
  const [all, note = ""] = /^([ \t]+#[^\n]*)?[ \t]*\n/.exec(behind) ?? [];
  if (all === undefined) return null;
  const lines = behind.slice(all.length);
  const indent = /^(?:[ \t]*(?:#[^\n]*)?\n)*( *)/.exec(lines)?.[1]?.length ?? 0;
  const source = dedentBy(indent, lines);
  const parts = Array.isArray(value) ? splitList(source, value) : splitMap(source);
  const isWhole = parts !== null && toIdentity(parts.entries.map(toChild)) === toIdentity(childrenOf(value));
  return isWhole ? { note, indent, ...parts } : null;
}

interface Child {
  readonly id: string;
  readonly value: unknown;
}

function childrenOf(value: unknown): readonly Child[] {
  if (value instanceof Map) return [...value].map(([id, child]) => ({ id: String(id), value: child }));
  return Array.isArray(value) ? value.map((item) => ({ id: toIdentity(item), value: item })) : [];
}

function toChild({ id, value }: Entry): Child {
  return { id, value };
}

function dedentBy(indent: number, text: string): string {
  const margin = new RegExp(`^ {0,${indent}}`);
  return mapLines(text, (line) => line.replace(margin, ""));
}

function indentBy(indent: number, text: string): string {
  return mapLines(text, (line) => (line === "" ? line : " ".repeat(indent) + line));
}

/** Only `\n` ends a line, as in YAML. */
function mapLines(text: string, map: (line: string) => string): string {
  return text.split("\n").map(map).join("\n");
}
