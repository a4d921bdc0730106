import { TeamMemoryError } from "../errors/team-memory-error.ts";
import { escapeForDisplay } from "./escape-for-display.ts";

export interface BrokenRule {
  /** The rule's id, `R-…`: stable, named in messages and in the status. */
  readonly rule: string;
  readonly key: unknown;
  /** What is wrong, as the end of a sentence: "has a segment of dots". */
  readonly reason: string;
  readonly cause?: unknown;
}

/** A key or a path that leads, or might lead, anywhere but to one file below the team directory. */
export class PathTraversalError extends TeamMemoryError {
  readonly rule: string;
  /** As it was given: the end of a sentence. */
  readonly reason: string;
  /** The key with everything but plain letters escaped, bounded: safe in a terminal, a log and a pull request. */
  readonly displayKey: string;

  constructor({ rule, key, reason, cause }: BrokenRule) {
    const displayKey = typeof key === "string" ? escapeForDisplay(key) : `(${key === null ? "null" : typeof key})`;
    super("path_traversal", `Cannot use this key, it ${reason} (${rule}): ${displayKey}`, {
      details: { rule, key: displayKey },
      cause,
    });
    this.name = "PathTraversalError";
    this.rule = rule;
    this.reason = reason;
    this.displayKey = displayKey;
  }
}
