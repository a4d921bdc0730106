import { createHash } from "node:crypto";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/** How the host's settings file is written: one that is there keeps its mode. */
export const SETTINGS_OPTIONS = { mode: 0o600, folderMode: 0o700, keepMode: true } as const;

/** A BOM stays, as the first character: every byte must come back. @throws TeamMemoryError `settings_invalid` */
export function decodeSettings(bytes: Buffer | null, settingsFile: string): string | null {
  try {
    return bytes === null ? null : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw toInvalid("Could not change the host's settings: they are not UTF-8", settingsFile, cause);
  }
}

/** By which a file is known again as it was written. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A plan's failure, with the file's name. @throws TeamMemoryError `settings_invalid` */
export function inSettings<T>(settingsFile: string, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    throw toInvalid(error.message, settingsFile, error.cause);
  }
}

function toInvalid(message: string, file: string, cause: unknown): TeamMemoryError {
  return new TeamMemoryError("settings_invalid", `${message}: ${file}`, { details: { file }, cause });
}
