import { diffIndices } from "node-diff3";
import { LIMITS } from "../limits.ts";
import { findCommonEnds } from "./common-ends.ts";
import { pickChanged, type Sides } from "./pick-changed.ts";

/**
 * Merges texts of whole lines (each ends in `\n`). Null: both changed the same lines, or lines that touch, into
 * something else; or comparing them would take more steps than LIMITS.mergeStepsMax.
 */
export function mergeLines(sides: Sides<string>): string | null {
  const settled = pickChanged(sides);
  if (settled !== null) return settled;
  const base = toLines(sides.base);
  const mine = findHunks(base, toLines(sides.mine), "mine");
  const theirs = findHunks(base, toLines(sides.theirs), "theirs");
  return mine === null || theirs === null ? null : applyHunks(base, [...mine, ...theirs]);
}

type Lines = readonly string[];

function toLines(text: string): Lines {
  return text.match(/[^\n]*\n/g) ?? [];
}

/** `lines` of one side in place of the base's lines from `start` to before `end`. */
interface Hunk {
  readonly side: "mine" | "theirs";
  readonly start: number;
  readonly end: number;
  readonly lines: Lines;
}

/** Only what lies between the first and the last difference is compared: the library takes cubic time. */
function findHunks(base: Lines, lines: Lines, side: Hunk["side"]): readonly Hunk[] | null {
  const { start: before, end: behind } = findCommonEnds(base, lines);
  const middle = base.slice(before, base.length - behind);
  const changed = lines.slice(before, lines.length - behind);
  if (countSteps(middle, changed) > LIMITS.mergeStepsMax) return null;
  return diffIndices(middle, changed).map(({ buffer1: [start, length], buffer2Content }) => ({
    side,
    start: before + start,
    end: before + start + length,
    lines: buffer2Content,
  }));
}

/** At most as many as this: each pair of equal lines is held against every common sequence found so far. */
function countSteps(base: Lines, lines: Lines): number {
  const counts = new Map<string, number>();
  for (const line of base) counts.set(line, (counts.get(line) ?? 0) + 1);
  const pairs = lines.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
  return pairs * Math.min(base.length, lines.length);
}

function applyHunks(base: Lines, hunks: readonly Hunk[]): string | null {
  const merged: string[] = [];
  let at = 0;
  for (const region of toRegions(hunks)) {
    const text = mergeRegion(base, region);
    if (text === null) return null;
    merged.push(base.slice(at, region.start).join(""), text);
    at = region.end;
  }
  return merged.join("") + base.slice(at).join("");
}

interface Region {
  readonly start: number;
  readonly end: number;
  readonly hunks: readonly Hunk[];
}

/** Hunks that overlap or touch are decided together: which of two inserts at one place comes first is nobody's guess. */
function toRegions(hunks: readonly Hunk[]): readonly Region[] {
  const regions: { start: number; end: number; hunks: Hunk[] }[] = [];
  for (const hunk of [...hunks].sort((a, b) => a.start - b.start)) {
    const last = regions.at(-1);
    if (last === undefined || hunk.start > last.end) regions.push({ start: hunk.start, end: hunk.end, hunks: [hunk] });
    else {
      last.end = Math.max(last.end, hunk.end);
      last.hunks.push(hunk);
    }
  }
  return regions;
}

function mergeRegion(base: Lines, { start, end, hunks }: Region): string | null {
  const rewrite = (side?: Hunk["side"]): string => {
    const parts: string[] = [];
    let at = start;
    for (const hunk of hunks.filter((each) => each.side === side)) {
      parts.push(...base.slice(at, hunk.start), ...hunk.lines);
      at = hunk.end;
    }
    return parts.join("") + base.slice(at, end).join("");
  };
  return pickChanged({ base: rewrite(), mine: rewrite("mine"), theirs: rewrite("theirs") });
}
