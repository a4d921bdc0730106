import { LIMITS } from "../../../shared/limits.ts";
import { asArray, asObject, asText } from "../json-shape.ts";
import { listDamaged, readOwnFile, STATE_FORMAT, writeWhole } from "./durable-file.ts";
import { statePath } from "./layout.ts";
import type { KeyMarks, Marks } from "./marks.ts";
import { readUndecided } from "./read-undecided.ts";

/**
 * Marks by key, in one small file. Ours alone: what it holds was typed when it was written. Of a damaged one, until the
 * next is written, the conflicts are known all the same.
 */
export function readMarks(stateFolder: string): Marks {
  return readMarksOrLost(stateFolder).marks;
}

/** The same, and whether they were damaged. */
export function readMarksOrLost(stateFolder: string): { readonly marks: Marks; readonly isDamaged: boolean } {
  const path = statePath(stateFolder, "marks");
  const marks = readOwnFile(path, LIMITS.clientStateSizeBytesMax, parseMarks);
  if (marks !== null) return { marks, isDamaged: false };
  const isDamaged = listDamaged(stateFolder, path).length > 0;
  return { marks: isDamaged ? readUndecided(stateFolder) : new Map(), isDamaged };
}

export function writeMarks(stateFolder: string, marks: Marks): void {
  writeWhole(statePath(stateFolder, "marks"), JSON.stringify({ format: STATE_FORMAT, keys: toEntries(marks) }), {
    isDurable: true,
  });
}

/** For the journal, too. Keys without any mark are left out. */
export function toEntries(marks: Marks): readonly (readonly [string, KeyMarks])[] {
  return [...marks].filter(([, of]) => Object.keys(of).length > 0);
}

export function parseEntries(json: unknown): Marks {
  return new Map(
    asArray(json, LIMITS.localFilesMax * 2).map((entry) => {
      const [key, of] = asArray(entry, 2);
      return [asText(key, LIMITS.keySizeBytesMax), asObject(of) as KeyMarks];
    }),
  );
}

function parseMarks(json: unknown): Marks | null {
  const { format, keys } = asObject(json);
  return format === STATE_FORMAT ? parseEntries(keys) : null;
}
