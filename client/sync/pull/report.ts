import { toShellWord } from "../../shell-word.ts";
import { toOddityLine } from "../folder/describe-oddity.ts";
import type { TeamListing } from "../folder/list-team.ts";
import type { Marks, Obstacle } from "../state/marks.ts";
import type { CarriedOut } from "./carry-out.ts";
import type { Decided, DecidedOutcome } from "./outcomes.ts";
import type { KeyFacts, PullStep } from "./plan-pull.ts";

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
    /** Merged with a text that a reviewer has said no to: not sent by itself. */
    | "merged_rejected"
    | "removed"
    | "restored"
    | "conflict"
    | "removal_dropped"
    | "approved_meanwhile"
    | "removed_by_team";
}

export interface ReportedOutcome extends DecidedOutcome {
  /** Of the rejected keys those that still are here as they were sent: changed by nobody since, and not sent again. */
  readonly standing: readonly string[];
}

export const NOTHING_NEW: PullReport = { kind: "nothing_new", changes: [], unplaced: [], outcomes: [], notes: [] };

export interface ReportSources {
  readonly steps: readonly PullStep[];
  readonly facts: readonly KeyFacts[];
  /** Marks before the pull: what was said then is not said again. */
  readonly marks: Marks;
  readonly decided: Pick<Decided, "reported">;
  readonly carried: CarriedOut;
  readonly listing: Pick<TeamListing, "oddities"> | null;
}

export function toReport(sources: ReportSources): PullReport {
  const { steps, marks, decided, carried, listing } = sources;
  return {
    kind: "pulled",
    changes: steps.filter(({ key }) => !carried.overtaken.includes(key)).flatMap((step) => toChanges(step, marks)),
    unplaced: [...carried.state.marks].flatMap(([key, { unplaced }]) =>
      unplaced === undefined ? [] : [{ key, because: unplaced.because }],
    ),
    outcomes: decided.reported.map((outcome) => ({ ...outcome, standing: findStanding(outcome, sources) })),
    notes: toNotes(steps, carried, listing),
  };
}

function toChanges(step: PullStep, before: Marks): ReportedChange[] {
  const { key, marks } = step;
  const isNewlyHeld = marks.held?.because === "removed_by_team" && before.get(key)?.held === undefined;
  const words = [...toWords(step), ...(isNewlyHeld ? (["removed_by_team"] as const) : [])];
  return words.map((what) => ({ key, what }));
}

function toWords(step: PullStep): ReportedChange["what"][] {
  if (step.kind === "remove") return ["removed"];
  // What was chosen was asked for by name, and is no news.
  if (step.kind !== "place" || step.because === "chosen") return [];
  if (step.because === "removal_outdated") return ["removal_dropped"];
  return [step.because === "merged" && step.marks.rejected !== undefined ? "merged_rejected" : step.because];
}

function findStanding({ rejected }: DecidedOutcome, { steps, facts }: ReportSources): string[] {
  const stepOf = new Map<string, PullStep>(steps.map((step) => [step.key, step]));
  const factsOf = new Map<string, KeyFacts>(facts.map((one) => [one.key, one]));
  return rejected.filter((key) => {
    const [step, local] = [stepOf.get(key), factsOf.get(key)?.local];
    if (step?.kind !== "keep" || step.marks.rejected === undefined) return false;
    const { blob } = step.marks.rejected;
    return blob === null ? step.state === "removal" : local?.kind === "file" && local.blob === blob;
  });
}

function toNotes(steps: readonly PullStep[], { index }: CarriedOut, listing: ReportSources["listing"]): string[] {
  const restored = steps.filter((step) => step.kind === "place" && step.because === "restored");
  const [first] = restored;
  return [
    ...(first === undefined
      ? []
      : [
          `Restored ${restored.length}: a missing or empty file is no removal. Remove one with: team-memory rm ${toShellWord(first.key)}`,
        ]),
    ...(index.obstacle === null ? [] : [`team/MEMORY.md is ${index.obstacle}: it was left alone`]),
    ...(index.parked === null
      ? []
      : [
          `team/MEMORY.md is generated; what was written into it is kept: team-memory attic show ${toShellWord(index.parked)}`,
        ]),
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
    notes: [...new Set([...first.notes, ...second.notes])],
  };
}
