import { LIMITS } from "../../../shared/limits.ts";
import type { AtticReason } from "../state/attic.ts";
import type { AtticText } from "../state/list-attic.ts";

/**
 * What leaves the attic: pure. The oldest first, while they are older than the attic keeps texts, or while it holds more
 * than it has room for. Never what a mark still names, and never the last copy of an edit that nobody has proposed:
 * one that was parked, or came to light, and that is neither what the team has or was sent, nor anywhere else in the
 * attic. (A person's decision about a parked text puts a second copy there, which goes in its time, and the first with it.)
 */
export interface PruneSources {
  /** Newest first. */
  readonly texts: readonly AtticText[];
  readonly nowMs: number;
  /** Paths that marks name. */
  readonly named: ReadonlySet<string>;
  /** The canonical blob of a text; null where it cannot be read. */
  readonly blobOf: (path: string) => string | null;
  /** Whether the blob is what the team has, or what the outbox holds. */
  readonly isElsewhere: (blob: string) => boolean;
}

export function planPrune(sources: PruneSources): AtticText[] {
  if (!isDue(sources.texts, sources.nowMs)) return [];
  const copies = countCopies(sources);
  let left = sumUp(sources.texts);
  const leaving: AtticText[] = [];
  for (const text of [...sources.texts].reverse()) {
    if (!isTooOld(text, sources.nowMs) && !isTooMuch(left)) break;
    const blob = sources.blobOf(text.path);
    if (isKept(sources, { text, blob, copies })) continue;
    leaving.push(text);
    left = { sizeBytes: left.sizeBytes - text.sizeBytes, count: left.count - 1 };
    if (blob !== null) copies.set(blob, (copies.get(blob) ?? 1) - 1);
  }
  return leaving;
}

/** Mine, and perhaps nowhere else. */
const UNPROPOSED: ReadonlySet<AtticReason> = new Set<AtticReason>(["conflict", "written-meanwhile", "found"]);

interface Judged {
  readonly text: AtticText;
  readonly blob: string | null;
  /** How many texts of the attic have the blob. */
  readonly copies: ReadonlyMap<string, number>;
}

function isKept({ named, isElsewhere }: PruneSources, { text, blob, copies }: Judged): boolean {
  if (named.has(text.path)) return true;
  if (!UNPROPOSED.has(text.why) || text.sizeBytes === 0) return false;
  return blob === null || (!isElsewhere(blob) && (copies.get(blob) ?? 0) <= 1);
}

function isDue(texts: readonly AtticText[], nowMs: number): boolean {
  const oldest = texts.at(-1);
  return oldest !== undefined && (isTooOld(oldest, nowMs) || isTooMuch(sumUp(texts)));
}

function isTooOld({ atMs }: AtticText, nowMs: number): boolean {
  return nowMs - atMs > LIMITS.atticAgeMsMax;
}

interface Sum {
  readonly sizeBytes: number;
  readonly count: number;
}

function isTooMuch({ sizeBytes, count }: Sum): boolean {
  return sizeBytes > LIMITS.atticSizeBytesMax || count > LIMITS.atticTextsMax;
}

function sumUp(texts: readonly AtticText[]): Sum {
  return { sizeBytes: texts.reduce((sum, text) => sum + text.sizeBytes, 0), count: texts.length };
}

function countCopies({ texts, blobOf }: PruneSources): Map<string, number> {
  const copies = new Map<string, number>();
  for (const { path } of texts) {
    const blob = blobOf(path);
    if (blob !== null) copies.set(blob, (copies.get(blob) ?? 0) + 1);
  }
  return copies;
}
