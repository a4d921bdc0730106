import type { LocalFact } from "./plan-pull.ts";

/** What lies at a key, beside what was sent of it. */
export interface Draft {
  readonly key: string;
  /** The team has no text of it, and had none. */
  readonly isDraft: boolean;
  readonly local: LocalFact;
  /** The blob in the open proposal, null for a removal; undefined: the key is not in it. */
  readonly sent: string | null | undefined;
}

/**
 * Drafts that have another name now: the file is missing, and its very text lies at a key that nobody has heard of. Such a
 * one was not swept away, and bringing it back would propose it twice. Pure.
 */
export function findRenamed(drafts: readonly Draft[]): ReadonlySet<string> {
  const isFresh = ({ isDraft, sent }: Draft) => isDraft && sent === undefined;
  const fresh = new Set(drafts.filter(isFresh).flatMap(({ local }) => (local.kind === "file" ? [local.blob] : [])));
  const isRenamed = ({ isDraft, local, sent }: Draft) =>
    isDraft && local.kind === "absent" && typeof sent === "string" && fresh.has(sent);
  return new Set(drafts.filter(isRenamed).map(({ key }) => key));
}
