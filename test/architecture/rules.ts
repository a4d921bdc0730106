/** The dependency rules of the house, as functions over source text, so that a test can plant a violation in memory. */
import { codeOf, type Import, importsOf, type SourceTree } from "./source-tree.ts";

export interface Violation {
  readonly rule: string;
  readonly path: string;
}

interface Rule {
  readonly name: string;
  readonly breaks: (file: SourceFile) => boolean;
}

interface SourceFile {
  readonly path: string;
  readonly source: string;
  readonly imports: readonly Import[];
  /** Without comments and plain strings. */
  readonly code: string;
}

const LINES_MAX = 300;
/** One row a limit or an error: as long as there are rows. */
const TABLES = new Set(["shared/limits.ts", "shared/errors/codes.ts"]);
const SERVER_PACKAGES = /^(@?fastify\b|isomorphic-git\b|close-with-grace\b)/;
const IO_BUT_DISK = /^(node:)?(net|tls|dgram|dns|http|https|http2|cluster|os)(\/|$)/;
const IO_BUILTIN =
  /^(node:)?(fs|process|child_process|worker_threads|net|tls|dgram|dns|http|https|http2|cluster|os)(\/|$)/;

const RULES: readonly Rule[] = [
  {
    name: "shared/ imports neither side",
    breaks: (file) => isIn("shared/", file) && importsPath(file, /^(server|client|test)\//),
  },
  {
    name: "client/ never imports server/",
    breaks: (file) => isIn("client/", file) && importsPath(file, /^(server|test)\//),
  },
  {
    name: "server/ never imports client/",
    breaks: (file) => isIn("server/", file) && importsPath(file, /^(client|test)\//),
  },
  {
    name: "client/ never loads the service's libraries",
    breaks: (file) => isIn("client/", file) && importsPath(file, SERVER_PACKAGES),
  },
  {
    name: "only server/git/ touches isomorphic-git",
    breaks: (file) => !isIn("server/git/", file) && importsPath(file, /^isomorphic-git\b/),
  },
  {
    name: "shared/ does no I/O but disk access in shared/path/",
    breaks: (file) => isIn("shared/", file) && importsPath(file, isIn("shared/path/", file) ? IO_BUT_DISK : IO_BUILTIN),
  },
  {
    name: "the environment is read in the two config files alone",
    breaks: (file) =>
      !/^(server|client)\/config\.ts$/.test(file.path) &&
      (/\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[/.test(file.code) || importsName(file, "node:process", "env")),
  },
  {
    name: "process.exit and listen( stand in main files alone",
    breaks: (file) =>
      !isMain(file) &&
      (/\bprocess\s*(\?\.|\.)\s*(exit|reallyExit|abort)\b\s*\(|\.\s*listen\s*\(/.test(file.code) ||
        importsName(file, "node:process", "exit")),
  },
  { name: "no barrels", breaks: (file) => file.imports.some(({ kind }) => kind === "re-export") },
  {
    name: `no file over ${LINES_MAX} lines`,
    breaks: ({ path, source }) => !TABLES.has(path) && source.split("\n").length > LINES_MAX + 1,
  },
  {
    name: "no Manager, Helper, Util or Service",
    breaks: (file) =>
      /(^|[/-])(manager|helpers?|utils?)(?=[/.-])/.test(file.path) ||
      /\bclass\s+\w*(Manager|Helper|Utils?|Service)\b/.test(file.code),
  },
  {
    name: "no TODO without an issue",
    breaks: (file) => /\b(TODO|FIXME|XXX)\b(?!\(#\d+\))/.test(file.source),
  },
];

export function findViolations(tree: SourceTree): Violation[] {
  const files = [...tree].map(([path, source]) => toSourceFile(path, source));
  const broken = files.flatMap((file) =>
    RULES.filter((rule) => rule.breaks(file)).map((rule) => ({ rule: rule.name, path: file.path })),
  );
  return [...broken, ...findCycles(files)];
}

function toSourceFile(path: string, source: string): SourceFile {
  return { path, source, imports: importsOf(path, source), code: codeOf(source, { strings: false }) };
}

function isIn(folder: string, file: SourceFile): boolean {
  return file.path.startsWith(folder);
}

function isMain(file: SourceFile): boolean {
  return file.path === "server/main.ts" || file.path === "client/main.ts";
}

function importsPath(file: SourceFile, target: RegExp): boolean {
  return file.imports.some((written) => target.test(written.target));
}

function importsName(file: SourceFile, target: string, name: string): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  return file.imports.some((written) => written.target === target && word.test(written.statement));
}

/** Types count: files that know each other are read together. An import on demand is how a cycle is broken. */
function findCycles(files: readonly SourceFile[]): Violation[] {
  const graph = new Map(files.map(({ path, imports }) => [path, imports.filter(({ kind }) => kind !== "dynamic")]));
  const finished = new Set<string>();
  const cycles: Violation[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push({ rule: "no import cycles", path: [...trail.slice(start), path].join(" -> ") });
    if (start >= 0 || finished.has(path)) return;
    for (const { target } of graph.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
