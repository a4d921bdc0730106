/** The production sources as text, and what can be read off them without a compiler. */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const PRODUCTION_FOLDERS = ["shared", "server", "client"] as const;

/** Source text by path from the repository's root. */
export type SourceTree = ReadonlyMap<string, string>;

export interface Import {
  /** Path from the root for a file of ours, else the name of the package or built-in. */
  readonly target: string;
  readonly kind: "value" | "type" | "dynamic" | "re-export";
  /** The whole statement, comments removed. */
  readonly statement: string;
}

export function readProductionSources(): SourceTree {
  const paths = PRODUCTION_FOLDERS.flatMap((folder) => listFiles(folder)).filter((path) => path.endsWith(".ts"));
  return new Map(paths.map((path) => [path, readFileSync(`${ROOT}${path}`, "utf8")]));
}

/** Every file below a folder, by path from the root. */
export function listFiles(folder: string): string[] {
  const entries = readdirSync(`${ROOT}${folder}`, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(entry.parentPath.slice(ROOT.length), entry.name));
}

/** Code with its comments blanked; `strings: false` blanks plain strings too. Line breaks stay where they were. */
export function codeOf(source: string, { strings }: { readonly strings: boolean }): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|(?<![:\\/])\/\/[^\n]*/g, (part) => {
    if (part.startsWith('"')) return strings ? part : '""';
    return part.replaceAll(/[^\n]/g, " ");
  });
}

const STATEMENT = /^(import|export)\b(?:\s+(type)\b)?(?:[^;"]*?\bfrom)?\s*"([^"]+)"/gm;
const DYNAMIC = /\bimport\(\s*"([^"]+)"\s*\)/g;

export function importsOf(path: string, source: string): Import[] {
  const code = codeOf(source, { strings: true });
  const written = [...code.matchAll(STATEMENT)].map(([statement, keyword, type, target]): Import => {
    const kind = keyword === "export" ? "re-export" : type === undefined ? "value" : "type";
    return { target: resolveImport(path, target!), kind, statement };
  });
  const dynamic = [...code.matchAll(DYNAMIC)].map(([statement, target]): Import => {
    return { target: resolveImport(path, target!), kind: "dynamic", statement };
  });
  return [...written, ...dynamic];
}

function resolveImport(path: string, target: string): string {
  return target.startsWith(".") ? posix.join(posix.dirname(path), target) : target;
}
