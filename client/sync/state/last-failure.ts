import { type ErrorCode, isErrorCode } from "../../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { asNumber, asObject, asText } from "../json-shape.ts";
import { readJsonFile, writeWhole } from "./durable-file.ts";
import { statePath } from "./layout.ts";

/**
 * How the last check failed, for the status, and for those who waited for it: ten sessions that start at once while the
 * service hangs wait for one request, not for ten in a row.
 */
export interface LastFailure {
  readonly code: ErrorCode;
  readonly message: string;
  /** When that check began. */
  readonly startedAtMs: number;
}

export function readLastFailure(stateFolder: string): LastFailure | null {
  return readJsonFile(statePath(stateFolder, "failure"), FILE_SIZE_BYTES_MAX, (json) => {
    const { code, message, startedAtMs } = asObject(json);
    if (!isErrorCode(code)) return null;
    return { code, message: asText(message, FILE_SIZE_BYTES_MAX), startedAtMs: asNumber(startedAtMs) };
  });
}

/** What cannot be written here was an error already, and that one counts. */
export function noteFailure(stateFolder: string, error: TeamMemoryError, startedAtMs: number): void {
  const failure: LastFailure = { code: error.code, message: error.message, startedAtMs };
  try {
    writeWhole(statePath(stateFolder, "failure"), JSON.stringify(failure), { isDurable: false });
  } catch {
    // The disk is full, or the folder is gone.
  }
}

export function toError({ code, message }: LastFailure): TeamMemoryError {
  return new TeamMemoryError(code, message);
}

const FILE_SIZE_BYTES_MAX = 64 * 1024;
