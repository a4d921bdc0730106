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

export interface IndexOptions {
  /** Reviewed memories that the caller did not hand over because all of `memories` come before them; told as left out. */
  readonly olderLeftOut?: number;
  readonly linesMax?: number;
  readonly sizeBytesMax?: number;
}

/** Newest change first, then by key; the order of `memories` does not matter. */
export function buildIndex(memories: readonly IndexedMemory[], options: IndexOptions = {}): BuiltIndex {
  const { olderLeftOut = 0, linesMax = LIMITS.indexLinesMax, sizeBytesMax = LIMITS.indexSizeBytesMax } = options;
  const room = roomWithin({ lines: linesMax, sizeBytes: sizeBytesMax });
  const reviewed = takeWhole(inOrder(memories, "reviewed"), room);
  const local = takeWhole(inOrder(memories, "local"), {
    lines: room.lines - reviewed.lines.length,
    sizeBytes: room.sizeBytes - reviewed.sizeBytes,
  });
  const shown = reviewed.lines.length + local.lines.length;
  const leftOut = memories.length - shown + olderLeftOut;
  const closing = leftOut > 0 ? toClosing(leftOut) : "";
  const text = HEADER + toSection(GAP, reviewed.lines) + toSection(LOCAL_HEADING, local.lines) + closing;
  return { text, shown, leftOut, cappedBy: reviewed.cappedBy === "none" ? local.cappedBy : reviewed.cappedBy };
}

const HEADER = "# Team memory\n";
const GAP = "\n";
const LOCAL_HEADING = "\n## Not yet reviewed\n\n";

function toSection(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : heading + lines.join("");
}

function toClosing(leftOut: number): string {
  return `\n${leftOut} more ${leftOut === 1 ? "is" : "are"} left out: list this folder to see every memory\n`;
}

function inOrder(memories: readonly IndexedMemory[], state: IndexedMemory["state"]): readonly IndexedMemory[] {
  return memories
    .filter((memory) => memory.state === state)
    .map((memory) => ({ memory, at: Date.parse(memory.changedAt) || 0 }))
    .sort((a, b) => b.at - a.at || compareKeys(a.memory.key, b.memory.key))
    .map(({ memory }) => memory);
}

/** By code units, not by language: the same on every machine. */
function compareKeys(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

interface Room {
  readonly lines: number;
  readonly sizeBytes: number;
}

/**
 * What the caps leave for memories: the other lines are always reserved, so that the reviewed part does not depend on
 * which of them are needed. The empty string behind the last newline counts as a line: some readers split so.
 */
function roomWithin({ lines, sizeBytes }: Room): Room {
  const reserved = HEADER + GAP + LOCAL_HEADING + toClosing(Number.MAX_SAFE_INTEGER);
  return { lines: lines - reserved.split("\n").length, sizeBytes: sizeBytes - Buffer.byteLength(reserved) };
}

interface Taken {
  /** Each with its newline. */
  readonly lines: readonly string[];
  readonly sizeBytes: number;
  readonly cappedBy: BuiltIndex["cappedBy"];
}

/** The longest beginning that fits; never a later memory in place of an earlier one. */
function takeWhole(memories: readonly IndexedMemory[], room: Room): Taken {
  const lines: string[] = [];
  let sizeBytes = 0;
  for (const memory of memories) {
    if (lines.length >= room.lines) return { lines, sizeBytes, cappedBy: "lines" };
    const line = `${toIndexLine(memory)}\n`;
    if (sizeBytes + Buffer.byteLength(line) > room.sizeBytes) return { lines, sizeBytes, cappedBy: "bytes" };
    lines.push(line);
    sizeBytes += Buffer.byteLength(line);
  }
  return { lines, sizeBytes, cappedBy: "none" };
}
