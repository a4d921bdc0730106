import { PathTraversalError } from "../../../shared/path/path-traversal-error.ts";
import { sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";

/** The id of the rule that a key breaks, or null for an accepted one. Any other error is the test's to fail on. */
export function brokenRule(key: unknown): string | null {
  return ruleOfThrown(() => sanitizePathKey(key));
}

export function ruleOfThrown(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof PathTraversalError) return error.rule;
    throw error;
  }
}
