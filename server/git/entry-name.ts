/**
 * Names that git refuses to check out, in the spellings its two protections know (`core.protectHFS`,
 * `core.protectNTFS`): a tree that holds one cannot be cloned, so none is ever written.
 */

/** Code points that HFS+ drops when it compares names: `.g\u200cit` is `.git` there. */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/** `.git` and its short name on NTFS, with what NTFS drops or treats as a stream after it. */
const NTFS_DOT_GIT = /^(?:\.git|git~1)[ .]*(?::.*)?$/iu;

/** NUL ends a name inside a tree object; half a surrogate pair has no UTF-8 of its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what this refuses
const BROKEN = /[\u0000/\\\p{Surrogate}]/u;

/** Whether one segment of a path may be written into a tree. */
export function isEntryName(name: string): boolean {
  if (name === "" || name === "." || name === ".." || BROKEN.test(name)) return false;
  return name.replace(HFS_IGNORED, "").toLowerCase() !== ".git" && !NTFS_DOT_GIT.test(name);
}
