import type { PushFacts } from "../push/plan-push.ts";
import type { KeyProblem } from "../push/push-set.ts";
import { toShownKey } from "../shown-key.ts";
import type { Obstacle } from "../state/marks.ts";
import { findAcknowledged, type OpenProposal } from "../state/outbox.ts";

/** Each memory's state, in one word and what belongs to it: pure. */
export type FileState =
  | "in_sync"
  | "new"
  | "changed"
  | "proposed"
  /** Approved since the last pull. */
  | "merged"
  /** The same, of what was taken away here before: it comes back. */
  | "approved_meanwhile"
  | "conflict"
  | "rejected"
  | "refused"
  | "removed_by_team"
  | "unknown"
  | "removal"
  | "unplaced"
  | "missing"
  | "empty"
  | "invalid";

export interface FileStatus {
  /** As it may be said. */
  readonly key: string;
  readonly state: FileState;
  /** The change is the memory's removal for all. */
  readonly isRemoval: boolean;
  /** Where it is under review, or an earlier text of it. */
  readonly url: string | null;
  /** When what is under review was sent, since the epoch. */
  readonly sentAtMs: number | null;
  /** What the reviewer or the service said, or what is wrong with the file. */
  readonly reason: string | null;
  /** Where the attic has my text of a conflict. */
  readonly attic: string | null;
  readonly obstacle: Obstacle | null;
}

export interface StatusSources {
  readonly facts: readonly PushFacts[];
  readonly open: OpenProposal | null;
  /** What was proposed and has merged since the last pull: its blob by key, null for a removal. */
  readonly merged: ReadonlyMap<string, string | null>;
  readonly problems: readonly KeyProblem[];
  /** Keys of the team whose frontmatter is not good: people push with git, too. */
  readonly faceless: ReadonlySet<string>;
  /** The service said, not long ago, that this person may not propose here. */
  readonly isForbidden: boolean;
}

/** States in which something waits for the person. */
export const WAITING: ReadonlySet<FileState> = new Set<FileState>([
  "conflict",
  "rejected",
  "refused",
  "removed_by_team",
  "unknown",
  "unplaced",
  "invalid",
]);

export function buildStatus({ facts, open, merged, problems, faceless, isForbidden }: StatusSources): FileStatus[] {
  const sent = new Map(open?.changes.map((change) => [change.key, change.blob]));
  const known = findAcknowledged(open);
  const problemOf = new Map(problems.map((problem) => [problem.key, problem]));
  const statuses = facts.map((fact) =>
    toStatus(fact, {
      sent: sent.get(fact.key),
      known: known.get(fact.key),
      merged: merged.get(fact.key),
      open,
      isForbidden,
      problem: problemOf.get(fact.key),
      isFaceless: faceless.has(fact.key),
    }),
  );
  return statuses.filter((status) => status !== null).sort((a, b) => (a.key < b.key ? -1 : 1));
}

interface Beside {
  /** The blob that was last sent, null for the removal; undefined: none. */
  readonly sent: string | null | undefined;
  /** The same, of the last set that the service has said that it has. */
  readonly known: string | null | undefined;
  /** The same, of what has merged since. */
  readonly merged: string | null | undefined;
  readonly open: OpenProposal | null;
  readonly isForbidden: boolean;
  readonly problem: KeyProblem | undefined;
  /** What the team has of it tells no name, description or type. */
  readonly isFaceless: boolean;
}

/** Null: there is nothing of it, here or there. */
function toStatus(fact: PushFacts, beside: Beside): FileStatus | null {
  const { key, marks, local } = fact;
  const state = toState(fact, beside);
  if (state === null) return null;
  const answer = beside.known === undefined ? null : (beside.open?.acknowledged ?? null);
  return {
    // What the team has is known to all.
    key: state === "in_sync" ? key : toShownKey(key),
    state,
    isRemoval: marks.removal !== undefined && local.kind === "absent" && state !== "approved_meanwhile",
    url: (state === "rejected" ? marks.rejected?.url : answer?.url) ?? null,
    sentAtMs: answer?.atMs ?? null,
    reason: toReason(state, fact, beside),
    attic: marks.conflict?.attic ?? null,
    obstacle: marks.unplaced?.because ?? (local.kind === "blocked" ? local.because : null),
  };
}

const UNSENT: ReadonlySet<FileState> = new Set<FileState>(["new", "changed", "removal"]);

function toReason(state: FileState, fact: PushFacts, beside: Beside): string | null {
  const { marks, base } = fact;
  if (state === "rejected") return marks.rejected?.reason ?? null;
  if (state === "refused") return marks.refused?.message ?? null;
  if (UNSENT.has(state)) return toSentBefore(fact, beside);
  if (state === "in_sync" && beside.known !== undefined) return "the next sync takes what was sent of it out of review";
  if (state === "in_sync" && beside.isFaceless)
    return "its frontmatter is not good, so it may be found by its file name alone; correct it here";
  if (state === "empty") return base === null ? "nothing is in it, so there is nothing to propose" : null;
  const ofConflict = state === "conflict" ? toConflictReason(fact) : null;
  return ofConflict ?? beside.problem?.message ?? null;
}

/** Null: the team's text lies there, as it was put. */
function toConflictReason({ base, local }: PushFacts): string | null {
  if (local.kind === "file" && local.blob !== base)
    return "you have written to it since; to send that, which decides: team-memory push KEY";
  return base === null && local.kind === "absent" ? "the team has removed it since" : null;
}

/** Of a text that the service is not known to have. */
function toSentBefore({ local }: PushFacts, { sent, known, isForbidden }: Beside): string | null {
  if (isForbidden) return "your role does not let you propose: ask an admin";
  const isSent = local.kind === "file" && sent === local.blob;
  if (isSent) return "it was sent, and no answer came; the next sync sends it again";
  return known === undefined || known === null ? null : "an earlier text of it is under review";
}

function toState(fact: PushFacts, beside: Beside): FileState | null {
  const { marks, local } = fact;
  if (marks.unplaced !== undefined || local.kind === "blocked") return "unplaced";
  if (marks.conflict !== undefined) return "conflict";
  return local.kind === "file" ? toFileState(fact, local.blob, beside) : toMissingState(fact, beside);
}

function toFileState(fact: PushFacts, blob: string, beside: Beside): FileState {
  const { marks, base } = fact;
  if (marks.rejected?.blob === blob) return "rejected";
  if (isUnderReview(blob, beside)) return "proposed";
  if (beside.merged === blob) return "merged";
  if (blob === base) return "in_sync";
  if (beside.problem !== undefined) return "invalid";
  if (isRefused(fact, blob, beside)) return "refused";
  if (marks.held?.blob === blob) return marks.held.because;
  return base === null ? "new" : "changed";
}

function toMissingState({ marks, base, local }: PushFacts, beside: Beside): FileState | null {
  if (local.kind === "absent" && local.isVoid === true) return "empty";
  const isNowhere = base === null && beside.sent === undefined && typeof beside.merged !== "string";
  if (marks.removal === undefined || isNowhere) return isNowhere ? null : "missing";
  if (beside.merged === null) return "merged";
  if (beside.merged !== undefined && beside.merged !== marks.removal.blob) return "approved_meanwhile";
  if (marks.rejected?.blob === null) return "rejected";
  if (isUnderReview(null, beside)) return "proposed";
  return isRefused({ marks }, null, beside) ? "refused" : "removal";
}

/** The service would not take it, neither in the open proposal nor, where it said so, in any. */
function isRefused({ marks: { refused } }: Pick<PushFacts, "marks">, blob: string | null, { open }: Beside): boolean {
  if (refused === undefined || refused.blob !== blob) return false;
  return refused.proposal === null || refused.proposal === open?.id;
}

/** The service has said that it has what lies here; and no later set, which may have reached it, has another. */
function isUnderReview(blob: string | null, { sent, known }: Beside): boolean {
  return known === blob && sent === blob;
}
