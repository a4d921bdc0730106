import { type JsonChild, type JsonNode, scanJson } from "./scan-json.ts";

/**
 * Changes a JSON text in one place and leaves every other character as it is: order, indentation, line ends, the final
 * newline, keys that stand twice. Cutting out what was inserted gives back the text from before.
 */
export type JsonPath = readonly (string | number)[];

export interface JsonItem {
  /** Of a new member; left out in an array. */
  readonly key?: string;
  readonly value: unknown;
}

/** Puts a member or an element behind the last one of the object or array at `path`, which must be there. */
export function appendJson(text: string, path: JsonPath, item: JsonItem): string {
  const root = scanJson(text);
  const container = nodeAt(root, path);
  if (container === null) throw new RangeError(`No JSON value at ${path.join(".")}`);
  const style = detectStyle(text, root);
  const last = container.children.at(-1);
  return last === undefined
    ? fillEmpty(text, { container, item, style })
    : insertBehind(text, { container, last, item, style });
}

/** Cuts out the value at `path`, its key and its comma; the container stays, empty or not. */
export function removeJson(text: string, path: JsonPath): string {
  const container = nodeAt(scanJson(text), path.slice(0, -1));
  const index = container === null ? -1 : findChild(container, path.at(-1) ?? "");
  const child = container?.children[index];
  if (container === null || child === undefined) return text;
  const before = container.children[index - 1];
  if (before !== undefined) return cut(text, before.value.end, child.value.end);
  const next = container.children[index + 1];
  return next === undefined ? cut(text, container.start + 1, container.end - 1) : cut(text, child.start, next.start);
}

interface Style {
  /** One level of indentation. */
  readonly unit: string;
  readonly eol: string;
}

interface Insertion {
  readonly container: JsonNode;
  readonly item: JsonItem;
  readonly style: Style;
}

function nodeAt(root: JsonNode, path: JsonPath): JsonNode | null {
  let node: JsonNode | undefined = root;
  for (const step of path) node = node?.children[findChild(node, step)]?.value;
  return node ?? null;
}

/** Of a key that stands twice the last counts, as for JSON.parse. */
function findChild(node: JsonNode, step: string | number): number {
  return typeof step === "number" ? step : node.children.findLastIndex(({ key }) => key === step);
}

function detectStyle(text: string, root: JsonNode): Style {
  const indent = root.children[0] === undefined ? null : indentBefore(text, root, root.children[0]);
  return { unit: indent === null || indent === "" ? "  " : indent, eol: /\r\n/.test(text) ? "\r\n" : "\n" };
}

function fillEmpty(text: string, { container, item, style }: Insertion): string {
  const lineStart = text.lastIndexOf("\n", container.start) + 1;
  const outer = /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? "";
  const inner = outer + style.unit;
  const filled = `${style.eol}${inner}${toLines(item, inner, style)}${style.eol}${outer}`;
  return text.slice(0, container.start + 1) + filled + text.slice(container.end - 1);
}

function insertBehind(text: string, { container, last, item, style }: Insertion & { last: JsonChild }): string {
  const first = container.children[0] ?? last;
  const indent = indentBefore(text, container, first);
  const inserted =
    indent === null
      ? toOneLine(item, text.slice(container.start, container.end))
      : `,${style.eol}${indent}${toLines(item, indent, style)}`;
  return text.slice(0, last.value.end) + inserted + text.slice(last.value.end);
}

/** What stands before the first child on its line; null where it shares a line with the bracket. */
function indentBefore(text: string, container: JsonNode, first: JsonChild): string | null {
  const gap = text.slice(container.start + 1, first.start);
  return gap.includes("\n") ? gap.slice(gap.lastIndexOf("\n") + 1) : null;
}

function toLines({ key, value }: JsonItem, indent: string, { unit, eol }: Style): string {
  const lines = JSON.stringify(value, null, unit).split("\n");
  return (key === undefined ? "" : `${JSON.stringify(key)}: `) + lines.join(eol + indent);
}

/** With or without spaces, as the neighbours are. */
function toOneLine({ key, value }: JsonItem, neighbours: string): string {
  const space = /[:,] /.test(neighbours) ? " " : "";
  return `,${space}${key === undefined ? "" : `${JSON.stringify(key)}:${space}`}${JSON.stringify(value)}`;
}

function cut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end);
}
