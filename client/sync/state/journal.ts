import { rmSync } from "node:fs";
import { LIMITS } from "../../../shared/limits.ts";
import { asArray, asObject, asText, orNull } from "../json-shape.ts";
import { readOwnFile, STATE_FORMAT, writeWhole } from "./durable-file.ts";
import { type Head, parseHead } from "./head.ts";
import { statePath } from "./layout.ts";
import type { Marks } from "./marks.ts";
import { parseEntries, toEntries } from "./marks-file.ts";
import { type Outbox, parseOutbox } from "./outbox.ts";

/**
 * What a pull is about to do to files, written when all is staged and before the first is placed; and the state that
 * holds once it is done. While it is there, the next run goes on from where this one was stopped.
 */
export interface Journal {
  readonly moves: readonly Move[];
  readonly next: State;
}

/** All that is replaced together at a pull's end. */
export interface State {
  readonly head: Head;
  readonly marks: Marks;
  readonly outbox: Outbox;
}

export interface Move {
  readonly key: string;
  /** The staged file's name in the key's folder; null: the key is removed. */
  readonly temp: string | null;
  /** Git id of the bytes that are to be displaced; null: nothing lay there. */
  readonly displaced: string | null;
  /** Where the attic has them; null: it has not, for there was nothing in them, or they are nobody's edit. */
  readonly attic: string | null;
  /** The canonical blob that was placed before: what a key that could not be moved is planned from again. */
  readonly base: string | null;
}

export function readJournal(stateFolder: string): Journal | null {
  return readOwnFile(statePath(stateFolder, "journal"), LIMITS.clientStateSizeBytesMax, parseJournal);
}

/**
 * @param isDurable whether a power cut may not take it. Of moves alone it may: each file is then the old one, the new one
 * or missing, which the next pull tells by the copies, and strays are swept into the attic
 */
export function writeJournal(stateFolder: string, { moves, next }: Journal, isDurable: boolean): void {
  const { head, marks, outbox } = next;
  const json = {
    format: STATE_FORMAT,
    moves,
    head: { format: STATE_FORMAT, ...head },
    marks: toEntries(marks),
    outbox,
  };
  writeWhole(statePath(stateFolder, "journal"), JSON.stringify(json), { isDurable });
}

export function dropJournal(stateFolder: string): void {
  rmSync(statePath(stateFolder, "journal"), { force: true });
}

function parseJournal(json: unknown): Journal | null {
  const journal = asObject(json);
  const head = parseHead(journal["head"]);
  const outbox = parseOutbox({ format: STATE_FORMAT, ...asObject(journal["outbox"]) });
  if (journal["format"] !== STATE_FORMAT || head === null || outbox === null) return null;
  const moves = asArray(journal["moves"], LIMITS.localFilesMax * 2).map(parseMove);
  return { moves, next: { head, marks: parseEntries(journal["marks"]), outbox } };
}

/** A file is renamed to it: none that leads out of the attic. */
function asAtticPath(value: unknown): string {
  const path = asText(value, LIMITS.keySizeBytesMax * 2);
  if (path.split(/[\\/]/).some((name) => ["", ".", ".."].includes(name))) throw new TypeError("no path of the attic");
  return path;
}

function parseMove(json: unknown): Move {
  const { key, temp, displaced, attic, base } = asObject(json);
  const asId = (id: unknown) => asText(id, 64);
  return {
    key: asText(key, LIMITS.keySizeBytesMax),
    temp: orNull(temp, asId),
    displaced: orNull(displaced, asId),
    attic: orNull(attic, asAtticPath),
    base: orNull(base, asId),
  };
}
