import { LIMITS } from "../limits.ts";
import type { MemoryType } from "../protocol/schemas.ts";
import { toIndexLine } from "./index-line.ts";

/**
 * The team's index, `MEMORY.md` below `team/`: one line a memory, whole lines within both caps, because hosts read no
 * more of it. The reviewed part is the same bytes on every machine: it has its own room, whatever follows it.
 */
export interface IndexedMemory {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly type: MemoryType | null;
  /** ISO date and time. */
  readonly changedAt: string;
  /** `local`: on this machine only, not yet reviewed. */
  readonly state: "reviewed" | "local";
}

export interface BuiltIndex {
  readonly text: string;
  readonly shown: number;
  readonly leftOut: number;
  /** Which cap left memories out. */
  readonly cappedBy: "none" | "lines" | "bytes";
}

export interface IndexCaps {
  readonly linesMax: number;
  readonly sizeBytesMax: number;
}

export interface IndexOptions extends Partial<IndexCaps> {
  /** Reviewed memories older than all that are given, known to have no room: they are only counted. */
  readonly olderLeftOut?: number;
}

const HOST_CAPS: IndexCaps = { linesMax: LIMITS.indexLinesMax, sizeBytesMax: LIMITS.indexSizeBytesMax };

/** Newest change first, then by key; the order of `memories` does not matter. */
export function buildIndex(memories: readonly IndexedMemory[], options: IndexOptions = {}): BuiltIndex {
  const { olderLeftOut = 0, ...caps } = { ...HOST_CAPS, ...options };
  const forReviewed = roomWithin(caps, [HEADER, LOCAL_HEADING, toClosing(Number.MAX_SAFE_INTEGER)]);
  const reviewed = takeWhole(linesOf(memories, "reviewed"), forReviewed);
  const forLocal = {
    lines: forReviewed.lines - reviewed.lines.length,
    sizeBytes: forReviewed.sizeBytes - reviewed.sizeBytes,
  };
  const local = takeWhole(linesOf(memories, "local"), forLocal);
  const shown = reviewed.lines.length + local.lines.length;
  const leftOut = memories.length + olderLeftOut - shown;
  const text = [
    HEADER,
    ...reviewed.lines,
    ...(local.lines.length > 0 ? [LOCAL_HEADING, ...local.lines] : []),
    ...(leftOut > 0 ? [toClosing(leftOut)] : []),
  ].join("");
  return { text, shown, leftOut, cappedBy: reviewed.cappedBy === "none" ? local.cappedBy : reviewed.cappedBy };
}

const HEADER = "# Team memory\n\n";
const LOCAL_HEADING = "\n## Not yet reviewed\n\n";

function toClosing(leftOut: number): string {
  return `\n${leftOut} more ${leftOut === 1 ? "is" : "are"} left out: list this folder to see every memory\n`;
}

/** Sorted lines, each with its newline. */
function linesOf(memories: readonly IndexedMemory[], state: IndexedMemory["state"]): readonly string[] {
  return memories
    .filter((memory) => memory.state === state)
    .map((memory) => ({ memory, at: Date.parse(memory.changedAt) || 0 }))
    .sort((a, b) => b.at - a.at || compareKeys(a.memory.key, b.memory.key))
    .map(({ memory }) => `${toIndexLine(memory)}\n`);
}

/** By code units, not by language: the same on every machine. */
function compareKeys(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

interface Room {
  readonly lines: number;
  readonly sizeBytes: number;
}

/** What is left beside these. The empty string behind the last newline counts as a line: some readers split so. */
function roomWithin({ linesMax, sizeBytesMax }: IndexCaps, reserved: readonly string[]): Room {
  const text = reserved.join("");
  return { lines: linesMax - text.split("\n").length, sizeBytes: sizeBytesMax - Buffer.byteLength(text) };
}

interface Taken {
  readonly lines: readonly string[];
  readonly sizeBytes: number;
  readonly cappedBy: BuiltIndex["cappedBy"];
}

/** The longest beginning that fits; never a later line in place of an earlier one. */
function takeWhole(lines: readonly string[], room: Room): Taken {
  let sizeBytes = 0;
  for (const [count, line] of lines.entries()) {
    const next = sizeBytes + Buffer.byteLength(line);
    const cappedBy = count + 1 > room.lines ? "lines" : next > room.sizeBytes ? "bytes" : "none";
    if (cappedBy !== "none") return { lines: lines.slice(0, count), sizeBytes, cappedBy };
    sizeBytes = next;
  }
  return { lines, sizeBytes, cappedBy: "none" };
}
