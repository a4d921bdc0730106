import { closeSync, readdirSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { isMissing, openPlainFile } from "../../memory/read-small-file.ts";
import { makePrivateFolder, writeWhole } from "./durable-file.ts";
import type { Head, PackName } from "./head.ts";
import { statePath } from "./layout.ts";
import { type Gone, isGone, parseRecords, type Received, type TextPlace } from "./pristine-record.ts";

/**
 * The pristine copies: what the service last served, by key. Each pull adds one file, a pack: its records as JSON, then its
 * texts. Reading folds the records of all packs in their order; a key's last record wins. So a pull writes what it
 * received and nothing else, and a thousand memories are one file, not a thousand.
 */
export interface PristineText extends Received {
  readonly place: TextPlace & { readonly pack: PackName };
}

export type Pristine = ReadonlyMap<string, PristineText>;

/** What a pull brings for one key, before it has a place. */
export type Arrival = (Received & { readonly text: string }) | Gone;

/**
 * @returns null where a pack is missing or damaged: pull everything anew
 * @throws TeamMemoryError `disk`
 */
export function readPristine(stateFolder: string, packs: readonly PackName[]): Pristine | null {
  const pristine = new Map<string, PristineText>();
  for (const pack of packs) {
    const records = readRecords(stateFolder, pack);
    if (records === null) return null;
    for (const record of records) {
      if (isGone(record)) pristine.delete(record.key);
      else pristine.set(record.key, { ...record, place: { ...record.place, pack } });
    }
  }
  return pristine;
}

/** A copy of a key that a later one has replaced, as long as its pack is there; null: it is not. */
export function findReplaced(
  stateFolder: string,
  packs: readonly PackName[],
  { key, canonicalBlob }: Pick<Received, "key" | "canonicalBlob">,
): PristineText | null {
  for (const pack of [...packs].reverse()) {
    const record = readRecords(stateFolder, pack)?.find((one) => one.key === key);
    const isIt = record !== undefined && !isGone(record) && record.canonicalBlob === canonicalBlob;
    if (isIt) return { ...record, place: { ...record.place, pack } };
  }
  return null;
}

/** The text as served; null where the disk gives back anything else. */
export function readText(stateFolder: string, { place }: PristineText): string | null {
  const bytes = readSlice(packPath(stateFolder, place.pack), {
    from: place.pack.recordsSizeBytes + place.offsetBytes,
    sizeBytes: place.sizeBytes,
  });
  return bytes?.toString("utf8") ?? null;
}

/** Writes and flushes one pack. It counts once the head names it. @throws TeamMemoryError `disk`, `disk_full` */
export function writePack(stateFolder: string, name: string, arrivals: readonly Arrival[]): PackName {
  const texts: Buffer[] = [];
  let offsetBytes = 0;
  const records = arrivals.map((arrival) => {
    if (isGone(arrival)) return arrival;
    const { text, ...record } = arrival;
    const bytes = Buffer.from(text);
    const place = { offsetBytes, sizeBytes: bytes.length };
    texts.push(bytes);
    offsetBytes += bytes.length;
    return { ...record, place };
  });
  const head = Buffer.from(JSON.stringify(records));
  makePrivateFolder(statePath(stateFolder, "pristine"));
  const pack = { name, recordsSizeBytes: head.length };
  writeWhole(packPath(stateFolder, pack), Buffer.concat([head, ...texts]), { isDurable: true });
  return pack;
}

/** Names sort by age. */
export function toPackName(packs: readonly PackName[], tree: string): string {
  const last = Number.parseInt(packs.at(-1)?.name ?? "0", 10);
  return `${String(last + 1).padStart(6, "0")}-${tree.slice(0, 12)}.pack`;
}

/** Deletes packs that no head names any more: what a finished compaction, or a pull that was killed, left. */
export function sweepPacks(stateFolder: string, { packs }: Pick<Head, "packs">): void {
  const named = new Set(packs.map(({ name }) => name));
  for (const name of listPacks(stateFolder)) {
    if (!named.has(name)) rmSync(join(statePath(stateFolder, "pristine"), name), { force: true });
  }
}

function listPacks(stateFolder: string): string[] {
  try {
    return readdirSync(statePath(stateFolder, "pristine"));
  } catch {
    return [];
  }
}

function readRecords(stateFolder: string, pack: PackName) {
  const bytes = readSlice(packPath(stateFolder, pack), { from: 0, sizeBytes: pack.recordsSizeBytes });
  try {
    return bytes === null ? null : parseRecords(JSON.parse(bytes.toString("utf8")));
  } catch {
    return null;
  }
}

function readSlice(path: string, { from, sizeBytes }: { from: number; sizeBytes: number }): Buffer | null {
  if (sizeBytes > LIMITS.responseSizeBytesMax * 2) return null;
  try {
    const file = openPlainFile(path);
    try {
      const bytes = Buffer.allocUnsafe(sizeBytes);
      return readSync(file, bytes, 0, sizeBytes, from) === sizeBytes ? bytes : null;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw new TeamMemoryError("disk", `Could not read the pristine copies: ${path}`, {
      details: { path },
      cause: error,
    });
  }
}

function packPath(stateFolder: string, { name }: PackName): string {
  return join(statePath(stateFolder, "pristine"), name);
}
