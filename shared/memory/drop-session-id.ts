import { findFrontmatter } from "./find-frontmatter.ts";
import { splitFlow } from "./split-flow.ts";

/**
 * Removes `originSessionId` from frontmatter: it names a session on one person's machine and is nobody else's
 * business. Works on source lines rather than on a parsed value, so that every other byte stays as its author wrote
 * it. Removed are the key at the top and the one directly below `metadata`, in block form and in flow form (`{ … }`).
 */
const KEY = "originSessionId";
const PARENT = "metadata";

export function dropSessionId(text: string): string {
  if (!text.includes(KEY)) return text;
  const kept = dropOnce(text);
  // What is no mapping at all may show another one once a line is gone.
  return kept === text ? text : dropSessionId(kept);
}

function dropOnce(text: string): string {
  const span = findFrontmatter(text);
  if (span === null) return text;
  const source = text.slice(span.start, span.end);
  const kept = source.startsWith("{")
    ? dropFromFlow(source, dropFromChild)
    : dropFromLines(source.split("\n")).join("\n");
  return kept === source ? text : text.slice(0, span.start) + kept + text.slice(span.end);
}

function dropFromLines(lines: readonly string[]): readonly string[] {
  return rewriteEntries(lines, 0, (entry) => {
    if (isKeyOf(entry, 0, KEY)) return [];
    return isKeyOf(entry, 0, PARENT) ? dropFromParent(entry) : entry;
  });
}

/** `metadata:` and its lines; without `metadata:` itself where the key was all that it held. */
function dropFromParent([head = "", ...children]: readonly string[]): readonly string[] {
  const colon = head.indexOf(":") + 1;
  if (/^[ \t]*\{/.test(head.slice(colon))) {
    const flow = [head.slice(colon), ...children].join("\n");
    return (head.slice(0, colon) + dropFromFlow(flow, asItIs)).split("\n");
  }
  const indent = indentOf(children.find((line) => !isFiller(line)) ?? "");
  const kept = rewriteEntries(children, indent, (entry) => (isKeyOf(entry, indent, KEY) ? [] : entry));
  const isEmptied = kept.length < children.length && kept.every(isFiller);
  return isEmptied ? kept : [head, ...kept];
}

type Entry = readonly string[];

/** `rewrite` sees each entry at this depth with the lines that belong to it; other lines stay. */
function rewriteEntries(lines: readonly string[], indent: number, rewrite: (entry: Entry) => Entry): readonly string[] {
  const kept: Entry[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = startsEntry(lines[at] ?? "", indent) ? entryEnd(lines, at, indent) : at + 1;
    kept.push(rewrite(lines.slice(at, end)));
    at = end;
  }
  return kept.flat();
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

function startsEntry(line: string, indent: number): boolean {
  return indentOf(line) === indent && !isFiller(line);
}

function isKeyOf([line = ""]: Entry, indent: number, key: string): boolean {
  if (!startsEntry(line, indent)) return false;
  const [, name] = /^["']?([A-Za-z]+)["']?[ \t]*:(?:[ \t]|$)/.exec(line.slice(indent)) ?? [];
  return name === key;
}

/** The same in `{ … }`: an entry goes with the comma before it. */
function dropFromFlow(source: string, rewrite: (entry: string) => string): string {
  const map = splitFlow(source);
  if (map === null) return source;
  const kept = map.entries.filter((entry) => flowKeyOf(entry) !== KEY).map(rewrite);
  return map.before + kept.join(",") + map.after;
}

/** In a frontmatter that is all flow, `metadata` has one more level; deeper ones are not ours. */
function dropFromChild(entry: string): string {
  const colon = entry.indexOf(":") + 1;
  const isMap = flowKeyOf(entry) === PARENT && /^[ \t]*\{/.test(entry.slice(colon));
  return isMap ? entry.slice(0, colon) + dropFromFlow(entry.slice(colon), asItIs) : entry;
}

function asItIs(entry: string): string {
  return entry;
}

function flowKeyOf(entry: string): string | undefined {
  return /^\s*["']?([A-Za-z]+)["']?[ \t]*:/.exec(entry)?.[1];
}
