/**
 * Git's configuration format, enough of it to read a value: sections with quoted subsections, quoting, escapes,
 * continuation lines, comments. Nothing is included or run: `include.path` and `url.<base>.insteadOf` have no effect, so
 * that a file which only a repository's config names can never choose the project.
 */
export interface GitConfigEntry {
  /** Lower case. */
  readonly section: string;
  readonly subsection: string | null;
  /** Lower case. */
  readonly key: string;
  readonly value: string;
}

const HEADER = /\[[ \t]*([A-Za-z0-9-]+)(?:\.([A-Za-z0-9.-]+))?(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y;
const VALUE = /=[ \t]*((?:[^"\\\n#;]|\\.|"(?:[^"\\\n]|\\.)*")*)/sy;
const BLANK = /(?:[ \t\n]|[#;][^\n]*)+/y;

/** @returns null where git would refuse the file as well */
export function parseGitConfig(text: string): readonly GitConfigEntry[] | null {
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const entries: GitConfigEntry[] = [];
  let at = 0;
  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at;
    const found = token.exec(source);
    if (found !== null) at = token.lastIndex;
    return found;
  };
  let place: Pick<GitConfigEntry, "section" | "subsection"> | null = null;
  for (take(BLANK); at < source.length; take(BLANK)) {
    const header = source[at] === "[" ? take(HEADER) : null;
    if (header !== null) {
      place = toPlace(header);
      continue;
    }
    const key = take(KEY)?.[1];
    if (key === undefined || place === null) return null;
    // A key alone is a switch that is on.
    const value = source[at] === "=" ? take(VALUE)?.[1] : "true";
    if (value === undefined || !isEndOfValue(source[at])) return null;
    entries.push({ ...place, key: key.toLowerCase(), value: unquote(value) });
  }
  return entries;
}

/** The old form `[remote.origin]` names a subsection too, in lower case. */
function toPlace([, section, dotted, quoted]: RegExpExecArray) {
  const subsection = quoted?.replaceAll(/\\(.)/g, "$1") ?? dotted?.toLowerCase() ?? null;
  return { section: (section ?? "").toLowerCase(), subsection };
}

function isEndOfValue(next: string | undefined): boolean {
  return next === undefined || next === "\n" || next === "#" || next === ";";
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\n": "" };

/** Quotes go, what they hold stays as it is; outside of them trailing blanks go. */
function unquote(raw: string): string {
  const parts = raw.match(/"(?:[^"\\]|\\.)*"|(?:[^"\\]|\\.)+/gs) ?? [];
  return parts
    .map((part, index) => {
      if (part.startsWith('"')) return part.slice(1, -1);
      return index === parts.length - 1 ? part.replace(/[ \t]+$/, "") : part;
    })
    .map((part) => part.replaceAll(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char))
    .join("");
}
