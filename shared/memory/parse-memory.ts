import { LIMITS } from "../limits.ts";
import type { MemoryType } from "../protocol/schemas.ts";
import type { MemoryProblem } from "./parse-yaml-fields.ts";
import { readDescription, readName, readType } from "./read-face.ts";
import { readFrontmatter } from "./read-frontmatter.ts";
import { normaliseLineEnds } from "./to-canonical.ts";

/** A memory as read: whatever is wrong with the file is a warning, and what can be read of it is here. */
export interface ParsedMemory {
  /** One visible line, bounded; null: the file has none, see faceOf. */
  readonly name: string | null;
  /** One visible line, bounded; empty: the file has none. */
  readonly description: string;
  readonly type: MemoryType | null;
  /** What follows the frontmatter, in `\n` line ends. */
  readonly body: string;
  /** All keys as written, unknown ones too. Text, arrays and Maps; never an object with a prototype. */
  readonly frontmatter: ReadonlyMap<string, unknown>;
  /** For people; never in the file's words. */
  readonly warnings: readonly string[];
  readonly hasFrontmatter: boolean;
}

export interface Face {
  readonly name: string;
  readonly description: string;
  readonly type: MemoryType | null;
}

/** Lenient: never throws, whatever the text. */
export function parseMemory(text: string): ParsedMemory {
  return inspectMemory(text).memory;
}

/** What lists show of a memory; a file without a name goes by its own. */
export function faceOf(key: string, { name, description, type }: ParsedMemory): Face {
  return { name: name ?? fallbackName(key), description, type };
}

export interface InspectedMemory {
  readonly memory: ParsedMemory;
  /** Every reason why the file may not be proposed, in the order of its lines; the memory's warnings are the same. */
  readonly problems: readonly MemoryProblem[];
  /** The file's line of each frontmatter key, of one below another as `metadata.type`. */
  readonly lines: ReadonlyMap<string, number>;
}

/** One reading for both attitudes: parseMemory warns of what assertProposable refuses. */
export function inspectMemory(text: string): InspectedMemory {
  const frontmatter = readFrontmatter(normaliseLineEnds(text));
  const name = readName(frontmatter);
  const description = readDescription(frontmatter);
  const type = readType(frontmatter);
  const ofFields = frontmatter.values.size === 0 ? [] : [name, description, type].flatMap(({ problems }) => problems);
  const problems = [...frontmatter.problems, ...ofFields]
    .sort((a, b) => a.line - b.line)
    .slice(0, LIMITS.problemsPerMemoryMax);
  const memory = {
    name: name.value === "" ? null : name.value,
    description: description.value,
    type: type.value,
    body: frontmatter.body,
    frontmatter: frontmatter.values,
    warnings: problems.map(({ field, line, message }) => `line ${line}: ${field} ${message}`),
    hasFrontmatter: frontmatter.found,
  };
  return { memory, problems, lines: frontmatter.lines };
}

function fallbackName(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1).replace(/\.md$/i, "");
}
