import { LIMITS } from "../../shared/limits.ts";
import type { SyncContext } from "../sync/context.ts";
import { asObject, asText, orNull } from "../sync/json-shape.ts";
import { makePrivateFolder, readJsonFile, writeWhole } from "../sync/state/durable-file.ts";
import { statePath } from "../sync/state/layout.ts";
import { takeSight } from "./team-sight.ts";

/**
 * What the ends of turns remember from one to the next. The process that proposes outlives the turn, so what it has to say
 * waits here for whoever speaks to the user next. A cache: without it everything is looked at again.
 */
export interface TurnNote {
  /** The team folder when its changes were last seen to; null: see to them again. */
  readonly sight: string | null;
  /** The last line that the user was told. */
  readonly said: string | null;
  /** A line that waits to be said. */
  readonly unsaid: string | null;
}

const BLANK: TurnNote = { sight: null, said: null, unsaid: null };

export function readTurnNote(stateFolder: string): TurnNote {
  const note = readJsonFile(statePath(stateFolder, "turn"), LIMITS.clientStateSizeBytesMax, parseNote);
  return note ?? BLANK;
}

/** @throws TeamMemoryError `disk`, `disk_full` */
export function writeTurnNote(stateFolder: string, note: TurnNote): void {
  makePrivateFolder(stateFolder);
  writeWhole(statePath(stateFolder, "turn"), JSON.stringify(note), { isDurable: false });
}

/**
 * @param sight null: the changes could not be seen to, and each turn will try again; the reason is told once
 * @param line what there is to say, null nothing
 */
export function toNextNote(before: TurnNote, sight: string | null, line: string | null): TurnNote {
  const isKnown = sight === null && line === before.said;
  return { ...before, sight, unsaid: line === null ? before.unsaid : isKnown ? null : line };
}

/** Whether anybody has written to `team/` since its changes were last seen to: no request, and no file is read. */
export function hasChanged({ teamDir, stateFolder }: Pick<SyncContext, "teamDir" | "stateFolder">): boolean {
  const { sight } = readTurnNote(stateFolder);
  return sight === null || sight !== takeSight(teamDir, Date.now());
}

function parseNote(json: unknown): TurnNote {
  const { sight, said, unsaid } = asObject(json);
  const line = (text: unknown) => asText(text, LIMITS.turnLineLengthMax);
  return { sight: orNull(sight, line), said: orNull(said, line), unsaid: orNull(unsaid, line) };
}
