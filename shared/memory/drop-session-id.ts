import { findFrontmatter } from "./find-frontmatter.ts";

/**
 * Removes `originSessionId` from frontmatter: it names a session on one person's machine and is nobody else's
 * business. Works on source lines rather than on a parsed value, so that every other byte stays as its author wrote
 * it. Removed are the key at the top and the one directly below `metadata`, in block form and in flow form (`{ … }`).
 */
const KEY = "originSessionId";
const PARENT = "metadata";

export function dropSessionId(text: string): string {
  if (!text.includes(KEY)) return text;
  const span = findFrontmatter(text);
  if (span === null) return text;
  const source = text.slice(span.start, span.end);
  const kept = source.startsWith("{") ? dropFromFlow(source) : dropFromLines(source.split("\n")).join("\n");
  return kept === source ? text : text.slice(0, span.start) + kept + text.slice(span.end);
}

function dropFromLines(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const end = isKey(line, 0) ? entryEnd(lines, at, 0) : at + 1;
    if (isKeyOf(line, 0, PARENT)) kept.push(...dropFromParent(lines.slice(at, end)));
    else if (!isKeyOf(line, 0, KEY)) kept.push(...lines.slice(at, end));
    at = end;
  }
  return kept;
}

/** `metadata:` and its lines; nothing at all where the key was all that it held. */
function dropFromParent(lines: readonly string[]): readonly string[] {
  const [head = "", ...children] = lines;
  const value = head.slice(head.indexOf(":") + 1);
  if (/^[ \t]*\{/.test(value)) {
    const flow = [value, ...children].join("\n");
    return (head.slice(0, head.length - value.length) + dropFromFlow(flow)).split("\n");
  }
  const first = children.find((line) => !isFiller(line));
  if (first === undefined) return lines;
  const indent = indentOf(first);
  const kept: string[] = [];
  for (let at = 0; at < children.length; ) {
    const line = children[at] ?? "";
    const end = isKey(line, indent) ? entryEnd(children, at, indent) : at + 1;
    if (!isKeyOf(line, indent, KEY)) kept.push(...children.slice(at, end));
    at = end;
  }
  if (kept.length === children.length) return lines;
  return kept.every(isFiller) ? kept : [head, ...kept];
}

/**
 * Past the last line of the entry that begins at `at`: what is indented deeper belongs to it, and a list at its own
 * depth. Empty lines and comments in between do; those at the end do not.
 */
function entryEnd(lines: readonly string[], at: number, indent: number): number {
  let end = at + 1;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    if (isFiller(line)) continue;
    const depth = indentOf(line);
    if (depth < indent || (depth === indent && !/^[ ]*-(?:[ \t]|$)/.test(line))) break;
    end = next + 1;
  }
  return end;
}

function isFiller(line: string): boolean {
  return /^[ \t]*(?:#|$)/.test(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isKey(line: string, indent: number): boolean {
  return indentOf(line) === indent && !isFiller(line);
}

function isKeyOf(line: string, indent: number, key: string): boolean {
  if (!isKey(line, indent)) return false;
  const [, name] = /^["']?([A-Za-z]+)["']?[ \t]*:(?:[ \t]|$)/.exec(line.slice(indent)) ?? [];
  return name === key;
}

/** The same in `{ … }`: entries are cut out with one of the commas beside them. */
function dropFromFlow(source: string): string {
  const open = source.indexOf("{");
  const entries = scanFlowEntries(source, open);
  if (entries === null) return source;
  const texts = entries.map(({ start, end }) => source.slice(start, end));
  const kept = texts
    .filter((text) => flowKeyOf(text) !== KEY)
    .map((text) => (flowKeyOf(text) === PARENT && /:[ \t]*\{/.test(text) ? dropFromNestedFlow(text) : text));
  if (kept.length === texts.length && kept.every((text, index) => text === texts[index])) return source;
  const end = entries.at(-1)?.end ?? open + 1;
  return source.slice(0, open + 1) + kept.join(",") + source.slice(end);
}

function dropFromNestedFlow(entry: string): string {
  const colon = entry.indexOf(":");
  return entry.slice(0, colon + 1) + dropFromFlow(entry.slice(colon + 1));
}

function flowKeyOf(entry: string): string | undefined {
  return /^\s*["']?([A-Za-z]+)["']?[ \t]*:/.exec(entry)?.[1];
}

/** The stretches between the commas of the outermost braces; null where they never close. */
function scanFlowEntries(source: string, open: number): readonly { start: number; end: number }[] | null {
  const entries: { start: number; end: number }[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < source.length; at += 1) {
    const char = source[at];
    if (char === '"' || char === "'") at = quoteEnd(source, at);
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "," && depth === 1) {
      entries.push({ start, end: at });
      start = at + 1;
    } else if ((char === "}" || char === "]") && --depth === 0) return [...entries, { start, end: at }];
  }
  return null;
}

function quoteEnd(source: string, open: number): number {
  const quote = source[open];
  for (let at = open + 1; at < source.length; at += 1) {
    if (quote === '"' && source[at] === "\\") at += 1;
    else if (source[at] === quote) return at;
  }
  return source.length;
}
