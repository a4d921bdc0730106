import type { ErrorCode } from "../../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { RemoteUrl } from "./parse-remote-url.ts";
import { toRemoteWords } from "./remote-words.ts";
import { unreachable } from "./unreachable.ts";

/** What git and ssh printed when they could not reach a remote of this kind, as an error. */
export function toGitFailure(stderr: string, kind: RemoteUrl["kind"]): TeamMemoryError {
  if (kind === "file" && NO_REPOSITORY.test(stderr)) return unreachable(NOTHING_HERE);
  const [, code, why] = FAILURES.find(([pattern]) => pattern.test(stderr)) ?? [null, "remote_unreachable", null];
  const words = why === null ? toRemoteWords(stderr) : `${why}${toFingerprint(stderr)}`;
  return new TeamMemoryError(code, `could not reach the remote: ${words}`, { details: { words } });
}

/** A disk that is not mounted, a folder that was moved: it may come back. Of a host the same words may mean rights. */
const NO_REPOSITORY = /does not appear to be a git repository|no such file or directory/iu;
const NOTHING_HERE = "no git repository lies at its path, or none that the service may read; is its disk mounted?";

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
