import type { LocalFact } from "../folder/local-fact.ts";
import type { KeyMarks } from "../state/marks.ts";

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
function findRenamed(drafts: readonly Draft[]): ReadonlySet<string> {
  const isFresh = ({ isDraft, sent }: Draft) => isDraft && sent === undefined;
  const fresh = new Set(drafts.filter(isFresh).flatMap(({ local }) => (local.kind === "file" ? [local.blob] : [])));
  const isRenamed = ({ isDraft, local, sent }: Draft) =>
    isDraft && local.kind === "absent" && typeof sent === "string" && fresh.has(sent);
  return new Set(drafts.filter(isRenamed).map(({ key }) => key));
}

/** Facts in which a draft under another name leaves its old one, as if it had been removed there by name. Pure. */
export function withRenamed<T extends { readonly key: string; readonly marks: KeyMarks }>(
  facts: readonly T[],
  toDraft: (fact: T) => Draft,
): readonly T[] {
  const renamed = findRenamed(facts.map(toDraft));
  if (renamed.size === 0) return facts;
  return facts.map((one) =>
    renamed.has(one.key) ? { ...one, marks: { ...one.marks, removal: { blob: null } } } : one,
  );
}
