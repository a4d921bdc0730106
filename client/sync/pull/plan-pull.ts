import { LIMITS } from "../../../shared/limits.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { LocalFact } from "../folder/local-fact.ts";
import { type KeyMarks, type Obstacle, without } from "../state/marks.ts";
import { type Draft, withRenamed } from "./find-renamed.ts";

/**
 * What a pull does to each key: a pure, total function from what was placed, what lies here and what the service now
 * serves. Blobs are ids of canonical texts, so a line ending is never an edit. No step loses a text: what is displaced
 * goes to the attic, and a file that is missing counts as swept away, never as removed.
 */
export interface KeyFacts {
  readonly key: MemoryKey;
  /** What was last put in place here; null: nothing. */
  readonly base: string | null;
  /** What the service serves now; null: nothing. */
  readonly remote: string | null;
  readonly local: LocalFact;
  readonly proposed: ProposedFact | null;
  readonly marks: KeyMarks;
}

/** What was last sent for the key (`blob` null: its removal), in a proposal that is open or has merged. */
export type ProposedFact =
  | { readonly blob: string | null; readonly isMerged: true }
  /** `base`: what it started from. */
  | { readonly blob: string | null; readonly isMerged: false; readonly base: string | null };

export interface PullCircumstances {
  /** Nothing is known of an earlier pull: files here that the team does not have may be from anywhere. */
  readonly isFirst: boolean;
  /** What was remembered of single keys is lost: a text here may be one that was refused, a missing file one to be removed. */
  readonly isUnsure: boolean;
  /** How many files the last pulls have placed here. */
  readonly placedFiles: number;
  readonly acceptRemovals: boolean;
}

interface Step {
  readonly key: MemoryKey;
  /** The key's marks from now on; a conflict's place in the attic is added when it is known. */
  readonly marks: KeyMarks;
}

export interface KeepStep extends Step {
  readonly kind: "keep";
  readonly state: "in_sync" | "changed" | "new" | "removed_by_team" | "unknown" | "removal" | "absent";
}

export interface PlaceStep extends Step {
  readonly kind: "place";
  readonly blob: string;
  /** Where the text comes from: what the service serves, what the outbox last sent, or made here for this step. */
  readonly text: "remote" | "proposed" | "given";
  /** The file that this replaces, as the plan saw it; null: none. */
  readonly expected: string | null;
  readonly because:
    | "new"
    | "changed"
    | "merged"
    | "conflict"
    | "restored"
    | "removal_outdated"
    /** Taken away here while nobody had approved it; now the team has it. */
    | "approved_meanwhile"
    | "chosen";
  /** The text that is parked as a conflict. */
  readonly parks: "local" | "proposed" | null;
}

export interface RemoveStep extends Step {
  readonly kind: "remove";
  readonly expected: string;
}

export interface UnplacedStep extends Step {
  readonly kind: "unplaced";
  readonly because: Obstacle;
}

export type PullStep = KeepStep | PlaceStep | RemoveStep | UnplacedStep;

/** Changed here and there: what the texts make of it is for resolveMerges to say. */
export interface MergeStep extends Step {
  readonly kind: "merge";
  /** What both started from; null: both are new. */
  readonly base: string | null;
  readonly mine: string;
  readonly theirs: string;
  /** Whose text mine is: the file's, or of a missing file what the outbox last sent. */
  readonly source: "local" | "proposed";
}

export type PlannedStep = PullStep | MergeStep;

/** One step a key, in their order. */
export function planPull(keys: readonly KeyFacts[], circumstances: PullCircumstances): PlannedStep[] {
  const known = withRenamed(keys, toDraft);
  const planned = known.map((facts) => ({ facts, step: planKey(recall(facts, circumstances), circumstances) }));
  const removals = planned.filter(({ step }) => step.kind === "remove").length;
  const isHeld = isMassRemoval(removals, circumstances);
  const isWaiting = ({ marks }: KeyFacts) =>
    !circumstances.acceptRemovals && marks.unplaced?.because === "removal_held";
  return planned.map(({ facts, step }) =>
    step.kind === "remove" && (isHeld || isWaiting(facts)) ? holdRemoval(facts, step) : step,
  );
}

/** Of a lost mark, what the outbox says still: a removal that is proposed was asked for. */
function recall(facts: KeyFacts, { isUnsure }: PullCircumstances): KeyFacts {
  const { proposed, marks } = facts;
  const isRemoval = proposed !== null && !proposed.isMerged && proposed.blob === null;
  if (!isUnsure || !isRemoval || marks.removal !== undefined) return facts;
  return { ...facts, marks: { ...marks, removal: { blob: proposed.base } } };
}

function toDraft({ key, base, remote, local, proposed }: KeyFacts): Draft {
  const sent = proposed === null ? undefined : proposed.isMerged ? null : proposed.blob;
  return { key, isDraft: base === null && remote === null, local, sent };
}

/** What would be removed is what was last the team's, even where no pull had placed it: a proposal that has merged. */
function holdRemoval(facts: KeyFacts, { expected }: RemoveStep): UnplacedStep {
  return unplaced({ ...facts, base: expected }, "removal_held");
}

/**
 * A remote that lost most of its files is more often an accident than a clean-up: ask first. What was held once waits until
 * somebody accepts it, however many files there are by then.
 */
function isMassRemoval(removals: number, { placedFiles, acceptRemovals }: PullCircumstances): boolean {
  return removals > LIMITS.removalsUnaskedMax && removals * 2 > placedFiles && !acceptRemovals;
}

function planKey(facts: KeyFacts, { isFirst, isUnsure }: PullCircumstances): PlannedStep {
  const { local } = facts;
  const isUnknown = isFirst || (isUnsure && facts.proposed === null);
  if (local.kind === "blocked") {
    return facts.remote === null ? keep(facts, "absent", ["unplaced"]) : unplaced(facts, local.because);
  }
  if (local.kind === "file") return planFile(facts, local.blob, isUnknown);
  return facts.marks.removal === undefined ? planMissing(facts, isUnknown) : planRemoval(facts, facts.marks.removal);
}

/** A file lies here. A recorded removal is void: somebody wrote the memory again. */
function planFile(facts: KeyFacts, local: string, isFirst: boolean): PlannedStep {
  const { remote } = facts;
  const base = toBase(facts, local);
  if (local === remote)
    return keep(facts, "in_sync", ["removal", "rejected", "refused", "held", "unplaced", "restore"]);
  if (remote === null) return planGone(facts, { local, base, isFirst });
  if (local === base || local === facts.base)
    return place(facts, { blob: remote, because: "changed", expected: local });
  if (remote === base) return keep(facts, "changed", ["removal", "held", "unplaced"]);
  const marks = without(facts.marks, "removal", "held", "unplaced");
  return { kind: "merge", key: facts.key, base, mine: local, theirs: remote, source: "local", marks };
}

/**
 * The base of an edit is what was proposed once that has merged: the reviewer's touches came after it. Not where the text
 * here was not made of it.
 */
function toBase({ base, proposed, marks }: KeyFacts, local: string): string | null {
  if (proposed?.isMerged !== true || proposed.blob === null) return base;
  return marks.apart === undefined || local === proposed.blob ? proposed.blob : base;
}

/** A file lies here, and the team has none. */
function planGone(facts: KeyFacts, seen: { local: string; base: string | null; isFirst: boolean }): PullStep {
  const { marks } = facts;
  const { local, base, isFirst } = seen;
  if (local === base || local === facts.base)
    return { kind: "remove", key: facts.key, expected: local, marks: without(marks, "removal", "unplaced") };
  if (base !== null) return hold(facts, local, "removed_by_team");
  if (marks.held?.blob === local) return hold(facts, local, marks.held.because);
  return isFirst ? hold(facts, local, "unknown") : keep(facts, "new", ["removal", "held", "unplaced"]);
}

/**
 * No file, and nobody asked for that. While a proposal is open, its text stands for the missing file: it goes the way
 * that the file would have gone.
 */
function planMissing(facts: KeyFacts, isFirst: boolean): PlannedStep {
  const { remote, base, proposed } = facts;
  if (proposed !== null && !proposed.isMerged && proposed.blob !== null) {
    return restoreProposed(facts, planFile({ ...facts, base: proposed.base }, proposed.blob, isFirst), proposed.blob);
  }
  if (remote === null) return keep(facts, "absent", ["rejected", "held", "unplaced", "restore"]);
  return place(facts, { blob: remote, because: base === null ? "new" : "restored", expected: null });
}

function restoreProposed(facts: KeyFacts, step: PlannedStep, proposed: string): PlannedStep {
  if (step.kind === "remove") return keep(facts, "absent", ["unplaced"]);
  if (step.kind === "merge") return { ...step, source: "proposed" };
  if (step.kind === "place") return { ...step, expected: null };
  const restored = place(facts, { blob: proposed, because: "restored", expected: null });
  return { ...restored, text: proposed === facts.remote ? "remote" : "proposed", marks: step.marks };
}

function planRemoval(facts: KeyFacts, removal: { readonly blob: string | null }): PullStep {
  if (facts.remote === removal.blob) return keep(facts, "removal", ["unplaced"]);
  if (facts.remote === null) return keep(facts, "absent", ["removal", "rejected", "unplaced", "conflict"]);
  const because = removal.blob === null ? "approved_meanwhile" : "removal_outdated";
  return place(facts, { blob: facts.remote, because, expected: null });
}

function keep(facts: KeyFacts, state: KeepStep["state"], settled: readonly (keyof KeyMarks)[]): KeepStep {
  return { kind: "keep", key: facts.key, state, marks: without(facts.marks, ...settled) };
}

function hold(facts: KeyFacts, blob: string, because: "removed_by_team" | "unknown"): KeepStep {
  const step = keep(facts, because, ["removal", "unplaced"]);
  return { ...step, marks: { ...step.marks, held: { blob, because } } };
}

type Placing = Pick<PlaceStep, "blob" | "because" | "expected">;

function place(facts: KeyFacts, placing: Placing): PlaceStep {
  const marks = without(facts.marks, "removal", "rejected", "held", "unplaced");
  return { kind: "place", key: facts.key, text: "remote", parks: null, ...placing, marks };
}

function unplaced(facts: KeyFacts, because: Obstacle): UnplacedStep {
  return {
    kind: "unplaced",
    key: facts.key,
    because,
    marks: { ...facts.marks, unplaced: { base: facts.base, because } },
  };
}
