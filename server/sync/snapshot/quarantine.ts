import { escapeForDisplay } from "../../../shared/path/escape-for-display.ts";
import { withoutSecrets } from "../../../shared/secret/without-secrets.ts";

/** A file in the remote that clients do not get. */
export interface QuarantinedFile {
  /** Below `team/`, escaped for display; of a name that holds a secret its masked prefix alone. */
  readonly path: string;
  /** Id of the rule that it breaks. */
  readonly rule: string;
  /** The end of the sentence "this file …". */
  readonly reason: string;
}

/** Rules that only a tree can break; a key's own rules come from the key. */
export const TREE_RULES = {
  "R-NAME": "has a name that is not UTF-8, not one segment, or stands there twice",
  "R-LINK": "is a symbolic link",
  "R-SUBMODULE": "is a submodule",
  "R-MODE": "is no plain file",
  "R-SIZE": "is larger than a memory may be",
  "R-ENCODING": "is not text in UTF-8",
  "R-SECRET":
    "holds what looks like a secret, or is named by one: take it back where it was issued, then out of the memory",
  "R-BUDGET": "lies beyond what one project may hold",
} as const;

export function toQuarantined(path: string, rule: keyof typeof TREE_RULES): QuarantinedFile {
  return { path: toShownPath(path), rule, reason: TREE_RULES[rule] };
}

export function toShownPath(path: string): string {
  return escapeForDisplay(withoutSecrets(path));
}
