/** `{ a, b }` or `[a, b]` of YAML or JSON: `before`, the entries joined with commas, and `after` are the source again. */
export interface Flow {
  /** Up to and with the opening bracket. */
  readonly before: string;
  readonly entries: readonly string[];
  /** From the closing bracket on. */
  readonly after: string;
}

const DEPTH_STEPS: ReadonlyMap<string, number> = new Map([
  ["{", 1],
  ["[", 1],
  ["}", -1],
  ["]", -1],
]);

/** Splits at the commas of the first bracket's own level; null where it never closes. `source` has a `{` or a `[`. */
export function splitFlow(source: string): Flow | null {
  const open = source.search(/[[{]/);
  const entries: string[] = [];
  let depth = 0;
  let start = open + 1;
  let previous = "";
  for (let at = open; at < source.length; at += 1) {
    const char = source[at] ?? "";
    if (opensQuote(char, previous)) at = quoteEnd(source, at);
    depth += DEPTH_STEPS.get(char) ?? 0;
    if (depth === 0 || (char === "," && depth === 1)) {
      entries.push(source.slice(start, at));
      start = at + 1;
    }
    if (depth === 0) return { before: source.slice(0, open + 1), entries, after: source.slice(at) };
    if (char.trim() !== "") previous = char;
  }
  return null;
}

/** Inside a word it is an apostrophe. */
function opensQuote(char: string, previous: string): boolean {
  return (char === '"' || char === "'") && "{[,:".includes(previous);
}

function quoteEnd(source: string, open: number): number {
  const quote = source[open];
  for (let at = open + 1; at < source.length; at += 1) {
    if (quote === '"' && source[at] === "\\") at += 1;
    else if (source[at] === quote) return at;
  }
  return source.length;
}
