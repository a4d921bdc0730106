import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { AtticReason } from "./attic.ts";
import { atticFolder } from "./attic.ts";

/** One text in the attic, as its path says. */
export interface AtticText {
  /** Below the attic; by it the text is found again. */
  readonly path: string;
  readonly key: string;
  readonly why: AtticReason;
  /** When the run began that kept it, since the epoch. */
  readonly atMs: number;
  readonly sizeBytes: number;
}

/** Every text, newest first; texts of one run by their paths. What is not named as ours is not listed. */
export function listAttic(stateFolder: string): AtticText[] {
  const attic = atticFolder(stateFolder);
  return listRuns(attic).flatMap((run) => listRun(attic, run));
}

/** Texts kept for a key, newest first. */
export function listAtticOf(stateFolder: string, key: string): AtticText[] {
  const attic = atticFolder(stateFolder);
  return listRuns(attic).flatMap((run) => listReasons(attic, run).flatMap((of) => toText(attic, of, key) ?? []));
}

/** Was anybody's last text: none that a conflict started from, and no file that somebody has emptied and not written. */
export function isSomebodysText({ why, sizeBytes }: AtticText): boolean {
  return why !== "base" && sizeBytes > 0;
}

/** Newest first: their names begin with their time. */
function listRuns(attic: string): string[] {
  const names = readEntries(attic).map(({ name }) => name);
  return names.sort().reverse();
}

function listRun(attic: string, time: string): AtticText[] {
  return listReasons(attic, time).flatMap((of) =>
    listKeys(join(attic, of.folder), "").flatMap((key) => toText(attic, of, key) ?? []),
  );
}

interface ReasonFolder {
  readonly folder: string;
  readonly why: AtticReason;
  readonly atMs: number;
}

function listReasons(attic: string, time: string): ReasonFolder[] {
  const atMs = toMoment(time);
  if (atMs === null) return [];
  return readEntries(join(attic, time)).flatMap(({ name }) => {
    const why = toReason(name);
    return why === null ? [] : [{ folder: join(time, name), why, atMs }];
  });
}

function listKeys(folder: string, prefix: string): string[] {
  return readEntries(join(folder, prefix)).flatMap((entry) => {
    const below = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    return entry.isDirectory() ? listKeys(folder, below) : [below];
  });
}

function toText(attic: string, { folder, why, atMs }: ReasonFolder, key: string): AtticText | null {
  const path = join(folder, ...key.split("/"));
  const seen = lstatSync(join(attic, path), { throwIfNoEntry: false });
  return seen?.isFile() === true ? { path, key, why, atMs, sizeBytes: seen.size } : null;
}

/** `2026-03-05T10-00-00-000Z-4711`: the moment, as file names may have it, and the run's process. */
function toMoment(name: string): number | null {
  const [, day, hours, minutes, seconds, thousandths] = MOMENT.exec(name) ?? [];
  const atMs = Date.parse(`${day}T${hours}:${minutes}:${seconds}.${thousandths}Z`);
  return Number.isNaN(atMs) ? null : atMs;
}

const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-\d+$/;

const REASONS: readonly AtticReason[] = [
  "replaced",
  "removed",
  "merged",
  "conflict",
  "base",
  "resolved",
  "written-meanwhile",
  "index",
  "found",
];

/** A second text of one key, run and reason has a number behind it. */
function toReason(name: string): AtticReason | null {
  const word = name.replace(/-\d+$/, "");
  return REASONS.find((reason) => reason === word) ?? null;
}

/** What is not there, or is no folder, holds nothing. */
function readEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
