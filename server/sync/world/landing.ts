/** What is to be put on the base, and which of several can go there as one series: pure. */
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId, RefUpdate } from "../../git/port.ts";
import { findSetFailures } from "../proposal/check-set.ts";
import type { KeyChange } from "../proposal/proposal.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

/** All or a part of one proposal, judged against the base as it is. */
export interface Landing {
  readonly project: ProjectName;
  readonly id: string;
  readonly changes: ReadonlyMap<MemoryKey, KeyChange>;
  /** Commits the changes on a commit of the base that has left their keys alone; the newest commit. */
  commit(parent: GitId): Promise<GitId>;
  /** Where the proposal's branch goes together with the base, once that is at the landing's own commit; null: it stays. */
  moveBranch(base: GitId): Promise<RefUpdate | null>;
}

export interface Series {
  readonly together: readonly Landing[];
  /** They meet what goes before them, and are to be judged again after it. */
  readonly later: readonly Landing[];
}

/** In their order; two of one project go together where neither touches what the other does. */
export function planSeries(landings: readonly Landing[], snapshots: ReadonlyMap<ProjectName, Snapshot>): Series {
  const together: Landing[] = [];
  const later: Landing[] = [];
  const taken = new Map<ProjectName, ReadonlyMap<MemoryKey, KeyChange>>();
  for (const landing of landings) {
    const { project, changes } = landing;
    const before = taken.get(project) ?? new Map();
    const all = new Map([...before, ...changes]);
    if (all.size < before.size + changes.size || !fits(snapshots.get(project), before, all)) later.push(landing);
    else {
      taken.set(project, all);
      together.push(landing);
    }
  }
  return { together, later };
}

/** What goes first has been judged by itself. */
function fits(
  snapshot: Snapshot | undefined,
  before: ReadonlyMap<MemoryKey, KeyChange>,
  all: ReadonlyMap<MemoryKey, KeyChange>,
): boolean {
  if (before.size === 0 || snapshot === undefined) return true;
  const changes = [...all].map(([key, { blob }]) => ({ key, blob }));
  return findSetFailures(snapshot, { changes }).length === 0;
}
