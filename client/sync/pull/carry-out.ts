import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { SyncContext } from "../context.ts";
import { expectNames, type NameSum, sightOf } from "../folder/folder-sight.ts";
import type { Attic } from "../state/attic.ts";
import type { Head, PackName } from "../state/head.ts";
import { type State, writeJournal } from "../state/journal.ts";
import { type KeyMarks, type Marks, NO_MARKS, park, without } from "../state/marks.ts";
import { findSentText } from "../state/outbox.ts";
import { type Arrival, writePack } from "../state/pristine.ts";
import { writeState } from "../state/state.ts";
import { type Change, type CheckedMove, place, stage, unstage } from "./apply-pull.ts";
import { type Newest, writeNewest } from "./newest.ts";
import type { PlaceStep, PullStep } from "./plan-pull.ts";
import { type ServedTree, writeServedTree } from "./served-tree.ts";
import { INDEX_NAME, type WrittenIndex, writeIndex } from "./write-index.ts";

/**
 * Carries a plan out, in the order that a kill at any line can be healed from: texts to the attic and to staged files;
 * what was received to a pack; the journal; files into place; the index; last the state, with which the pull counts.
 */
export interface Work {
  readonly context: SyncContext;
  readonly attic: Attic;
  readonly steps: readonly PullStep[];
  readonly textOf: (step: PlaceStep) => string;
  readonly baseOf: (key: MemoryKey) => string | null;
  /** Texts that conflicts started from: kept beside mine. */
  readonly bases: ReadonlyMap<string, string>;
  /** What goes into the new pack. */
  readonly arrivals: readonly Arrival[];
  readonly packName: string;
  readonly packsBefore: readonly PackName[];
  readonly before: State;
  /** But for packs, sight and what the steps say of marks. */
  readonly next: State;
  readonly tree: ServedTree | null;
  /** The index's faces once these keys could not be placed. */
  readonly newestWithout: (unplaced: ReadonlySet<string>) => Newest;
  readonly folders: readonly NameSum[];
  readonly hasIndex: boolean;
  /** Keys here that the team does not have; null: they are not all known. */
  readonly locals: readonly string[] | null;
  /** Before the first file was looked at. */
  readonly startedAtMs: number;
}

export interface CarriedOut {
  readonly overtaken: readonly MemoryKey[];
  readonly index: WrittenIndex;
  readonly state: State;
}

export function carryOut(work: Work): CarriedOut {
  const { teamDir, stateFolder } = work.context;
  const changes = work.steps.filter(isChange).sort((a, b) => Number(b.kind === "remove") - Number(a.kind === "remove"));
  const staged = stage({ ...work, teamDir, changes });
  const marks = mergeMarks(work, staged.moves, staged.overtaken);
  const next = prepare(work, staged.moves, marks);
  // More than the head is written then: a stop between two writes leaves marks of one pull beside the copies of another.
  const isMarked = next.marks !== work.before.marks || next.outbox !== work.before.outbox;
  if (isMarked || staged.moves.length > 0) writeJournal(stateFolder, { moves: staged.moves, next }, isMarked);
  const placed = place({ teamDir, attic: work.attic, moves: staged.moves });
  const overtaken = [...staged.overtaken, ...placed.overtaken];
  const settled = settleMarks(next.marks, { ...placed, baseOf: work.baseOf, before: work.before.marks });
  const newest = work.newestWithout(new Set(keysUnplaced(settled)));
  const index = writeIndex({ teamDir, stateFolder, attic: work.attic }, newest);
  const head = {
    ...next.head,
    isUnsettled: keysUnplaced(settled).length > 0,
    sight: toSight(work, { overtaken, index }),
  };
  const state = { head, marks: settled, outbox: next.outbox };
  if (work.tree !== null) writeServedTree(stateFolder, work.tree);
  writeNewest(stateFolder, newest);
  writeState(stateFolder, state, work.before);
  const late = new Set(placed.overtaken);
  unstage(
    teamDir,
    staged.moves.filter(({ key }) => late.has(key)),
  );
  return { overtaken, index, state };
}

function isChange(step: PullStep): step is Change {
  return step.kind === "place" || step.kind === "remove";
}

/** Writes what was received. Nothing is in place yet: where it cannot be written, nothing has happened. */
function prepare(work: Work, moves: readonly CheckedMove[], marks: Marks): State {
  try {
    return { ...work.next, marks, head: withPack(work) };
  } catch (error) {
    unstage(work.context.teamDir, moves);
    throw error;
  }
}

function withPack({ context, arrivals, packName, packsBefore, next }: Work): Head {
  if (arrivals.length === 0) return { ...next.head, packs: packsBefore, sight: null };
  const pack = writePack(context.stateFolder, packName, arrivals);
  return { ...next.head, packs: [...packsBefore, pack], sight: null };
}

/** The steps' marks; a conflict's with the place of the parked text. */
function mergeMarks(work: Work, moves: readonly CheckedMove[], overtaken: readonly MemoryKey[]): Marks {
  const atticOf = new Map(moves.map(({ key, attic }) => [key, attic]));
  const marked = work.steps.map((step): [string, KeyMarks] => [
    step.key,
    withConflict(step, atticOf.get(step.key), work),
  ]);
  work.attic.flush();
  const parked = new Map<MemoryKey, string>();
  const { baseOf, before } = work;
  return settleMarks(replaceMarks(work.next.marks, marked), { overtaken, parked, baseOf, before: before.marks });
}

function withConflict(step: PullStep, displaced: string | null | undefined, work: Work): KeyMarks {
  if (step.kind !== "place" || step.parks === null) return step.marks;
  const path = step.parks === "local" ? displaced : parkSent(step.key, work);
  if (typeof path !== "string") return step.marks;
  const base = work.bases.get(step.key);
  if (base === undefined) return park(step.marks, { attic: path });
  return park(step.marks, { attic: path, base: work.attic.put(step.key, Buffer.from(base), "base") });
}

function parkSent(key: MemoryKey, { attic, before }: Work): string {
  const sent = findSentText(before.outbox, key) ?? "";
  return attic.put(key, Buffer.from(sent), "conflict");
}

interface Surprises {
  readonly overtaken: readonly MemoryKey[];
  readonly parked: ReadonlyMap<MemoryKey, string>;
  readonly baseOf: (key: MemoryKey) => string | null;
  /** As they were before the plan. */
  readonly before: Marks;
}

/**
 * For keys at which somebody wrote meanwhile: they are planned again from what was there before. What lies there was made
 * of what lay there, so whether that is apart from what was sent holds on.
 */
export function settleMarks(marks: Marks, { overtaken, parked, baseOf, before }: Surprises): Marks {
  const because = "written_meanwhile";
  const unplaced = overtaken.map((key): [string, KeyMarks] => {
    const isApart = before.get(key)?.apart === true;
    const others = without(marks.get(key) ?? NO_MARKS, "apart");
    return [key, { ...others, ...(isApart && { apart: true }), unplaced: { base: baseOf(key), because } }];
  });
  const waiting = replaceMarks(marks, unplaced);
  const conflicts = [...parked].map(([key, attic]): [string, KeyMarks] => [
    key,
    park(waiting.get(key) ?? NO_MARKS, { attic }),
  ]);
  return replaceMarks(waiting, conflicts);
}

/** The very same map where nothing changes: an unchanged one is not written again. */
function replaceMarks(marks: Marks, changed: readonly (readonly [string, KeyMarks])[]): Marks {
  const news = changed.filter(([key, of]) => JSON.stringify(marks.get(key) ?? NO_MARKS) !== JSON.stringify(of));
  if (news.length === 0) return marks;
  const merged = new Map(marks);
  for (const [key, of] of news) {
    if (Object.keys(of).length === 0) merged.delete(key);
    else merged.set(key, of);
  }
  return merged;
}

export function keysUnplaced(marks: Marks): string[] {
  return [...marks].filter(([, of]) => of.unplaced !== undefined).map(([key]) => key);
}

function toSight(
  { context, steps, folders, hasIndex, locals, startedAtMs }: Work,
  seen: { overtaken: readonly string[]; index: WrittenIndex },
) {
  // Without one nothing is known for sure, and the next run looks at everything.
  if (seen.overtaken.length > 0 || seen.index.sight === null || locals === null) return null;
  const added = steps.filter((step) => step.kind === "place" && step.expected === null).map(({ key }) => key as string);
  const removed = steps.filter(({ kind }) => kind === "remove").map(({ key }) => key);
  const index = seen.index.isNew && !hasIndex ? [INDEX_NAME] : [];
  const expected = expectNames(folders, { added: [...added, ...index], removed });
  return sightOf(context.teamDir, {
    folders: expected,
    locals,
    index: seen.index.sight,
    seenAtMs: startedAtMs,
  });
}
