import type { Role } from "../../shared/protocol/schemas.ts";
import { includesRole } from "../people/roles.ts";

/** A reference that a push would move; `new` null: it would be removed. */
interface PushedRef {
  readonly ref: string;
  readonly new: string | null;
}

const PROPOSAL_BRANCHES = "refs/heads/team-memory/";

/**
 * Null to let the push through, or why not, in words for the person's terminal: a contributor moves and removes
 * branches of proposals, a reviewer also moves the base, and everything else (the state reference above all) is
 * nobody's.
 */
export function planPush(role: Role, baseRef: string, commands: readonly PushedRef[]): string | null {
  for (const { ref, new: wanted } of commands) {
    if (ref.startsWith(PROPOSAL_BRANCHES)) {
      if (!includesRole(role, "contributor")) return "it takes a contributor to propose";
    } else if (ref !== baseRef) {
      return `only ${toBranch(baseRef)} and team-memory/* can be pushed`;
    } else if (wanted === null) {
      return `${toBranch(baseRef)} cannot be removed`;
    } else if (!includesRole(role, "reviewer")) {
      return `it takes a reviewer to push ${toBranch(baseRef)}; push a branch team-memory/* to propose`;
    }
  }
  return null;
}

function toBranch(ref: string): string {
  return ref.replace("refs/heads/", "");
}
