import { LIMITS } from "../limits.ts";
import { findProposalProblem } from "../memory/assert-proposable.ts";
import { findFrontmatter, opensFrontmatter } from "../memory/find-frontmatter.ts";
import { toNamed } from "../memory/parse-yaml-fields.ts";
import { readFrontmatter } from "../memory/read-frontmatter.ts";
import { toCanonical } from "../memory/to-canonical.ts";
import { mergeFields } from "./merge-fields.ts";
import { mergeLines } from "./merge-lines.ts";
import { mapSides, pickChanged, type Sides } from "./pick-changed.ts";
import { type Entries, NO_ENTRIES, splitMap, toIdentity } from "./split-entries.ts";

/** All texts are canonical, see toCanonical. */
export type MergeResult =
  | { readonly kind: "merged"; readonly text: string }
  | {
      readonly kind: "conflict";
      /** What a person is told of: a field of ours, `frontmatter`, `body`, or `text` where it is all of it. */
      readonly field: string;
      readonly base: string | null;
      readonly mine: string;
      readonly theirs: string;
    };

/**
 * Merges one memory in three states; `base` is null where both sides made it anew. Pure, the same on every machine,
 * and symmetric: with mine and theirs swapped the merged text is the same. What cannot be merged is a conflict with all
 * three texts, never a text with markers in it. A removal is no text and not decided here.
 *
 * Frontmatter is merged by mergeFields, bodies by mergeLines; a text whose frontmatter YAML objects to is merged by lines
 * as a whole. Two memories that may be proposed never become one that may not. Loads the YAML parser.
 */
export function mergeMemory(base: string | null, mine: string, theirs: string): MergeResult {
  const sides = mapSides({ base: base ?? "", mine, theirs }, toCanonical);
  const settled = pickChanged(sides);
  const merged = settled === null ? mergeTexts(sides) : { text: settled };
  if ("text" in merged) return { kind: "merged", text: merged.text };
  return { kind: "conflict", ...merged, ...sides, base: base === null ? null : sides.base };
}

type Merged = { readonly text: string } | { readonly field: string };

function mergeTexts(sides: Sides<string>): Merged {
  if (Object.values(sides).some(isTooLarge)) return { field: "text" };
  const base = splitText(sides.base);
  const mine = splitText(sides.mine);
  const theirs = splitText(sides.theirs);
  const isSplit = base !== null && mine !== null && theirs !== null;
  const merged = isSplit ? mergeParts({ base, mine, theirs }) : mergeWhole(sides);
  return "text" in merged ? checkMerged(merged.text, sides) : merged;
}

function isTooLarge(text: string): boolean {
  return Buffer.byteLength(text) > LIMITS.memorySizeBytesMax;
}

function mergeWhole(sides: Sides<string>): Merged {
  const text = mergeLines(sides);
  return text === null ? { field: "text" } : { text: toCanonical(text) };
}

interface Parts extends Entries {
  readonly body: string;
}

/** Null: there is frontmatter, and it cannot be taken apart into fields. */
function splitText(text: string): Parts | null {
  if (!opensFrontmatter(text)) return { ...NO_ENTRIES, body: text };
  const span = findFrontmatter(text);
  const { problems } = readFrontmatter(text);
  if (span === null || problems.length > 0) return null;
  const fields = splitMap(text.slice(span.start, span.end));
  return fields === null ? null : { ...fields, body: text.slice(span.bodyStart) };
}

function joinParts({ entries, rest, body }: Parts): string {
  const fields = entries.map(({ above, source }) => above + source).join("") + rest;
  return fields === "" ? body : `---\n${fields}---\n${body}`;
}

function mergeParts(sides: Sides<Parts>): Merged {
  const { conflicts, ...fields } = mergeFields(sides);
  const [conflict] = conflicts;
  if (conflict !== undefined) return { field: toNamed(conflict) };
  const body = mergeLines(mapSides(sides, (side) => side.body));
  if (body === null) return { field: "body" };
  const parts = { ...fields, body };
  const text = joinParts(parts);
  return isReadAs(text, parts) ? { text } : { field: "frontmatter" };
}

/** The net under everything that works on source lines: what was decided is what a reader will find. */
function isReadAs(text: string, parts: Parts): boolean {
  const read = splitText(text);
  return read !== null && read.body === parts.body && toValues(read) === toValues(parts);
}

function toValues({ entries }: Entries): string {
  return toIdentity(new Map(entries.map(({ id, value }) => [id, value])));
}

function checkMerged(text: string, { mine, theirs }: Sides<string>): Merged {
  const problem = findProposalProblem(text);
  if (problem === null) return { text };
  const isNew = findProposalProblem(mine) === null && findProposalProblem(theirs) === null;
  return isNew ? { field: problem.field } : { text };
}
