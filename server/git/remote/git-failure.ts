import type { ErrorCode } from "../../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { toRemoteWords } from "./remote-words.ts";

/** What git and ssh printed when they could not reach the remote, as an error. */
export function toGitFailure(stderr: string): TeamMemoryError {
  const [, code, why] = FAILURES.find(([pattern]) => pattern.test(stderr)) ?? [null, "remote_unreachable", null];
  const words = why === null ? toRemoteWords(stderr) : `${why}${toFingerprint(stderr)}`;
  return new TeamMemoryError(code, `could not reach the remote: ${words}`, { details: { words } });
}

/** The first that matches. Where the words are null, the program's own say it best. */
const FAILURES: readonly (readonly [pattern: RegExp, code: ErrorCode, words: string | null])[] = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED/u, "remote_host_key", "its host key is another one than is known of it"],
  [/REVOKED HOST KEY DETECTED/u, "remote_host_key", "its host key is marked as revoked"],
  [/host key is known for|host key verification failed/iu, "remote_host_key", "its host key is not known"],
  [/UNPROTECTED PRIVATE KEY FILE/u, "remote_denied", "ssh takes no private key that others may read; chmod 600 it"],
  [
    /permission denied|access denied|does not appear to be a git repository|not found|no such|shallow/iu,
    "remote_denied",
    null,
  ],
];

/** So that a person can compare it with what the host's operator publishes. */
function toFingerprint(stderr: string): string {
  const found = /\bSHA256:[A-Za-z0-9+/]{43}/u.exec(stderr)?.[0];
  return found === undefined ? "" : ` (${found})`;
}
