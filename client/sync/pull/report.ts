import type { ProposalOutcome } from "../../../shared/protocol/schemas.ts";
import { toShellWord } from "../../shell-word.ts";
import { toOddityLine } from "../folder/describe-oddity.ts";
import type { TeamListing } from "../folder/list-team.ts";
import type { Marks, Obstacle } from "../state/marks.ts";
import type { CarriedOut } from "./carry-out.ts";
import type { Decided } from "./outcomes.ts";
import type { PullStep } from "./plan-pull.ts";

/** What a pull did, in terms that a command prints and a program reads. */
export interface PullReport {
  /** `shared`: another run's request, made after this one was asked for, answers this one, too. */
  readonly kind: "nothing_new" | "shared" | "pulled";
  readonly changes: readonly ReportedChange[];
  readonly unplaced: readonly { readonly key: string; readonly because: Obstacle }[];
  /** Proposals of this machine that a reviewer has decided on since. */
  readonly outcomes: readonly ReportedOutcome[];
  /** Said once, in whole sentences. */
  readonly notes: readonly string[];
}

export interface ReportedChange {
  readonly key: string;
  readonly what:
    | "new"
    | "changed"
    | "merged"
    | "removed"
    | "restored"
    | "conflict"
    | "removal_dropped"
    | "removed_by_team";
}

export interface ReportedOutcome extends ProposalOutcome {
  readonly id: string;
}

export const NOTHING_NEW: PullReport = { kind: "nothing_new", changes: [], unplaced: [], outcomes: [], notes: [] };

export interface ReportSources {
  readonly steps: readonly PullStep[];
  /** Marks before the pull: what was said then is not said again. */
  readonly marks: Marks;
  readonly decided: Pick<Decided, "reported">;
  readonly carried: CarriedOut;
  readonly listing: Pick<TeamListing, "oddities"> | null;
}

export function toReport({ steps, marks, decided, carried, listing }: ReportSources): PullReport {
  return {
    kind: "pulled",
    changes: steps.filter((step) => !isKnown(step, marks)).flatMap(toChange),
    unplaced: [...carried.state.marks].flatMap(([key, { unplaced }]) =>
      unplaced === undefined ? [] : [{ key, because: unplaced.because }],
    ),
    outcomes: decided.reported,
    notes: toNotes(steps, carried, listing),
  };
}

function isKnown(step: PullStep, marks: Marks): boolean {
  return step.kind === "keep" && marks.get(step.key)?.held !== undefined;
}

function toChange(step: PullStep): ReportedChange[] {
  if (step.kind === "remove") return [{ key: step.key, what: "removed" }];
  if (step.kind === "keep" && step.state === "removed_by_team") return [{ key: step.key, what: "removed_by_team" }];
  // What was chosen was asked for by name, and is no news.
  if (step.kind !== "place" || step.because === "chosen") return [];
  return [{ key: step.key, what: step.because === "removal_outdated" ? "removal_dropped" : step.because }];
}

function toNotes(steps: readonly PullStep[], { index }: CarriedOut, listing: ReportSources["listing"]): string[] {
  const restored = steps.filter((step) => step.kind === "place" && step.because === "restored");
  const [first] = restored;
  return [
    ...(first === undefined
      ? []
      : [
          `Restored ${restored.length}: a missing file is no removal. Remove one for all with: team-memory rm ${toShellWord(first.key)}`,
        ]),
    ...(index.obstacle === null ? [] : [`team/MEMORY.md is ${index.obstacle}: it was left alone`]),
    ...(index.parked === null
      ? []
      : [`team/MEMORY.md is generated; what was written into it is kept: ${index.parked}`]),
    ...(listing?.oddities ?? []).map(toOddityLine),
  ];
}

/** Two rounds of one pull, as one. */
export function joinReports(first: PullReport, second: PullReport): PullReport {
  return {
    kind: "pulled",
    changes: [...first.changes, ...second.changes],
    unplaced: second.unplaced,
    outcomes: [...first.outcomes, ...second.outcomes],
    notes: [...first.notes, ...second.notes],
  };
}
