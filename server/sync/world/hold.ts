/** What the remote would take from clients, and is therefore held until a reviewer accepts it: pure. */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId } from "../../git/port.ts";

export interface Hold {
  /** Whose memories are lost; null: the base itself was rewritten or is gone. */
  readonly project: ProjectName | null;
  /** Still served: the project's folder, or the base's commit. */
  readonly from: GitId;
  /** What stands on the remote instead; null: nothing. */
  readonly to: GitId | null;
  /** The commit at which it was first seen, by which it is accepted; null: the base is gone, and has to be put back. */
  readonly revision: GitId | null;
  /** So many memories would go, of so many; both 0 for the base itself. */
  readonly lost: number;
  readonly of: number;
}

export interface AcceptedBase extends Pick<Hold, "project" | "from" | "to"> {
  readonly by: string;
  readonly at: string;
}

/** As the state has it. `accepted`: oldest first. */
export interface Bases {
  readonly format: 1;
  readonly held: readonly Hold[];
  readonly accepted: readonly AcceptedBase[];
}

/** By key, each file's blob. A memory that goes on under another name is not lost. */
export function findLost(before: ReadonlyMap<string, GitId>, after: ReadonlyMap<string, GitId>): readonly string[] {
  const blobs = new Set(after.values());
  return [...before].filter(([key, blob]) => !after.has(key) && !blobs.has(blob)).map(([key]) => key);
}

export function isMassRemoval(lost: number, of: number): boolean {
  return lost > LIMITS.removalsUnaskedMax && lost * 2 > of;
}

export function isAccepted({ accepted }: Bases, hold: Pick<Hold, "project" | "from" | "to">): boolean {
  return accepted.some(({ project, from, to }) => project === hold.project && from === hold.from && to === hold.to);
}

/**
 * Everything that is held at this revision is accepted together.
 * @throws TeamMemoryError not_found where nothing is, or something else by now
 */
export function planAccept(bases: Bases, revision: GitId, { by, at }: Pick<AcceptedBase, "by" | "at">) {
  const taken = bases.held.filter((hold) => hold.revision === revision);
  if (taken.length === 0) {
    throw new TeamMemoryError("not_found", `Could not find anything that is held at ${JSON.stringify(revision)}`);
  }
  const now = taken.map(({ project, from, to }) => ({ project, from, to, by, at }));
  const value: Bases = {
    ...bases,
    held: bases.held.filter((hold) => !taken.includes(hold)),
    accepted: [...bases.accepted, ...now].slice(-LIMITS.acceptedBasesMax),
  };
  return { value, result: taken };
}

/** The same value where nothing changes, so that nothing is written. */
export function planHeld(bases: Bases, holds: readonly Hold[]): Bases {
  const held = holds.slice(0, LIMITS.heldBasesMax);
  return JSON.stringify(held) === JSON.stringify(bases.held) ? bases : { ...bases, held };
}

/** A base that went on elsewhere without having been held. The same value where that is known. */
export function planReplaced(bases: Bases, { from, to, at }: { from: GitId; to: GitId; at: string }): Bases {
  if (isAccepted(bases, { project: null, from, to })) return bases;
  const accepted = [...bases.accepted, { project: null, from, to, by: "git", at }];
  return { ...bases, accepted: accepted.slice(-LIMITS.acceptedBasesMax) };
}

/** For people: what it is, in one line. */
export function toHoldWords({ project, from, to, lost, of }: Hold): string {
  if (project !== null) return `${project}: ${lost} of ${of} memories are gone`;
  return to === null ? `the base ${from} is gone` : `the base was rewritten from ${from} to ${to}`;
}
