import type { ErrorCode } from "../../shared/errors/codes.ts";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/** What isomorphic-git and the system say, in our codes; what is not listed is `internal`. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  NotFoundError: "not_found",
  ObjectTypeError: "repository_damaged",
  DecompressionError: "repository_damaged",
  // How isomorphic-git says that an object, a pack or its index is not what it should be.
  InternalError: "repository_damaged",
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  EROFS: "disk",
  EEXIST: "disk",
  ENOENT: "disk",
  ENOTDIR: "disk",
  EISDIR: "disk",
  ENOTEMPTY: "disk",
  EACCES: "disk",
  EPERM: "disk",
  EIO: "disk",
  EMFILE: "unavailable",
  ENFILE: "unavailable",
  ENOMEM: "unavailable",
  // A client of /git that goes away, or sends what it calls gzip.
  ECONNRESET: "unavailable",
  Z_DATA_ERROR: "bad_request",
  Z_BUF_ERROR: "bad_request",
};

/**
 * The one place where a foreign error becomes ours. `could` completes the sentence "could not …"; the foreign error is
 * kept as the cause and its text stays out of the message.
 */
export function translateGitError(error: unknown, could: string): TeamMemoryError {
  if (isTeamMemoryError(error)) return error;
  const code = errorCodeOf(error);
  const ours = (code === undefined ? undefined : CODES[code]) ?? "internal";
  const said = code === undefined ? "" : ` (${code})`;
  return new TeamMemoryError(ours, `could not ${could}${said}`, { cause: error });
}

/** `code` of a system or isomorphic-git error. */
export function errorCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The signal that a git of ours was told to end with, as a stop of the service does; null: it is another error. */
export function endSignalOf(error: unknown): string | null {
  const signal = isTeamMemoryError(error) ? error.details["signal"] : undefined;
  return typeof signal === "string" ? signal : null;
}

/** Whether an error says that a file, or a folder on the way to it, is not there. */
export function isMissing(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
