import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/**
 * Reference names become paths inside the repository, so they are allow-listed: `refs/heads/…` and
 * `refs/team-memory/…`, each part as git's own check-ref-format wants it.
 */
const ALLOWED = /^refs\/(?:heads|team-memory)\/./u;

/** What git refuses inside a name: controls, space, `~^:?*[\`, DEL, `..`, `@{`, `//`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const REFUSED = /[\u0000-\u0020~^:?*[\\\u007f]|\.\.|@\{|\/\//u;

/** A part must not start with a dot (`..`, hidden files) nor end like a lock; the name must not end in a dot or slash. */
const REFUSED_PART = /(?:^|\/)\.|\.lock(?:\/|$)|[./]$/u;

const REF_LENGTH_MAX = 255;

/** Whether git and we both take this as the full name of a branch or of one of our own references. */
export function isRefName(ref: string): boolean {
  return ref.length <= REF_LENGTH_MAX && ALLOWED.test(ref) && !REFUSED.test(ref) && !REFUSED_PART.test(ref);
}

/** Throws `bad_request` for a reference outside the two name spaces, or one that git itself refuses. */
export function assertRefName(ref: string): void {
  if (!isRefName(ref)) throw new TeamMemoryError("bad_request", `could not use the reference ${JSON.stringify(ref)}`);
}
