import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { asArray, asGitId, asNumber, asObject, asText } from "../json-shape.ts";
import { readJsonFile, writeWhole } from "./durable-file.ts";
import { statePath } from "./layout.ts";

/** What files were when they were last read. A cache: without it they are read again. */
export interface StatCache {
  readonly scannedAtMs: number;
  readonly files: ReadonlyMap<string, FileStat>;
}

export interface FileStat {
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  /** Id of the canonical text. */
  readonly blob: string;
}

export function readStats(stateFolder: string): StatCache {
  const path = statePath(stateFolder, "stats");
  return readJsonFile(path, LIMITS.clientStateSizeBytesMax, parseStats) ?? { scannedAtMs: 0, files: new Map() };
}

/** Commands that only look write it, too: where it cannot be written, they look all the same. */
export function writeStats(stateFolder: string, { scannedAtMs, files }: StatCache): void {
  const rows = [...files].map(([key, stat]) => [key, stat.sizeBytes, stat.mtimeMs, stat.ctimeMs, stat.ino, stat.blob]);
  try {
    writeWhole(statePath(stateFolder, "stats"), JSON.stringify({ scannedAtMs, files: rows }), { isDurable: false });
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
  }
}

function parseStats(json: unknown): StatCache {
  const { scannedAtMs, files } = asObject(json);
  return { scannedAtMs: asNumber(scannedAtMs), files: new Map(asArray(files, LIMITS.localFilesMax).map(parseRow)) };
}

function parseRow(json: unknown): [string, FileStat] {
  const [key, sizeBytes, mtimeMs, ctimeMs, ino, blob] = asArray(json, ROW_LENGTH);
  const times = { mtimeMs: asNumber(mtimeMs), ctimeMs: asNumber(ctimeMs) };
  const stat = { sizeBytes: asNumber(sizeBytes), ...times, ino: asNumber(ino), blob: asGitId(blob) };
  return [asText(key, LIMITS.keySizeBytesMax), stat];
}

const ROW_LENGTH = 6;
