import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId } from "../../git/port.ts";
import type { Outcomes } from "../proposal/outcomes.ts";
import type { OpenProposal } from "../proposal/proposal.ts";
import type { Hold } from "./hold.ts";

export interface HeldProject {
  /** What stands on the base; null: nothing. */
  readonly tree: GitId | null;
  /** Null: it could not be read. */
  readonly hold: Hold | null;
}

/** The remote as it was last looked at: one immutable value, replaced as a whole. */
export interface World {
  /** The base's commit, and its tree. */
  readonly base: GitId;
  readonly baseTree: GitId | null;
  /** Tree id of each project's `team` folder. */
  readonly projects: ReadonlyMap<ProjectName, GitId>;
  /** Projects whose newest tree is held, or could not be read: they stand at the last good one, and are tried again. */
  readonly held: ReadonlyMap<ProjectName, HeldProject>;
  /** The base itself was rewritten or is gone: `base` is the last good one. */
  readonly baseHold: Hold | null;
  readonly open: ReadonlyMap<string, OpenProposal>;
  /** Ids whose branch is there and is no open proposal of ours: nobody may begin one under them. */
  readonly occupied: ReadonlySet<string>;
  readonly openByProject: ReadonlyMap<ProjectName, readonly OpenProposal[]>;
  readonly outcomes: Outcomes;
  /** When the remote was last looked at with success. */
  readonly lookedAt: Date;
}

export function withOpen(world: Omit<World, "open" | "openByProject">, open: World["open"]): World {
  const openByProject = new Map<ProjectName, OpenProposal[]>();
  for (const proposal of open.values()) {
    const others = openByProject.get(proposal.project);
    if (others === undefined) openByProject.set(proposal.project, [proposal]);
    else others.push(proposal);
  }
  return { ...world, open, openByProject };
}

/** Before the first look: nothing is known. */
export const UNSEEN: World = {
  base: "",
  baseTree: null,
  projects: new Map(),
  held: new Map(),
  baseHold: null,
  open: new Map(),
  occupied: new Set(),
  openByProject: new Map(),
  outcomes: new Map(),
  lookedAt: new Date(0),
};
