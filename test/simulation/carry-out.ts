/** Puts a plan on the disk, each step of it a moment at which the client may be killed or overtaken. */
import { settleMarks } from "../../client/sync/pull/carry-out.ts";
import type { PlaceStep, PullStep, RemoveStep } from "../../client/sync/pull/plan-pull.ts";
import type { Head } from "../../client/sync/state/head.ts";
import { type KeyMarks, type Marks, park } from "../../client/sync/state/marks.ts";
import type { Outbox } from "../../client/sync/state/outbox.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import { blobIdOf } from "../../shared/sync/git-ids.ts";
import { type Disk, type Journal, keepInAttic, type Move, NEVER_PULLED } from "./disk.ts";
import { baseOf, type Machine, pass } from "./machine.ts";

export interface Work {
  readonly steps: readonly PullStep[];
  readonly next: { readonly marks: Marks; readonly outbox: Outbox };
  readonly head: Head;
  readonly pristine: ReadonlyMap<string, string>;
}

/** @returns how many keys somebody wrote meanwhile */
export function carryOut(machine: Machine, work: Work): number {
  const { disk } = machine;
  const listed = [...disk.files.keys()];
  const { moves, overtaken } = stage(machine, work);
  const toBase = (key: MemoryKey) => baseOf(disk, disk.pulled ?? NEVER_PULLED, key);
  const none = { parked: new Map(), before: disk.marks };
  const stepMarks = settleMarks(withStepMarks(disk, work), { ...none, overtaken, baseOf: toBase });
  const planned = { pulled: { head: work.head, pristine: work.pristine, names: null }, marks: stepMarks };
  const journal: Journal = {
    moves,
    staged: new Set(moves.flatMap(({ key, blob }) => (blob === null ? [] : [key]))),
    next: { ...planned, outbox: work.next.outbox },
  };
  if (isManyWrites(disk, journal)) disk.journal = journal;
  pass(machine);
  const late = moves.filter((move) => !moveFile(machine, journal, move)).map(({ key }) => key);
  pass(machine);
  const marks = settleMarks(stepMarks, { ...none, overtaken: late, baseOf: toBase });
  const names = overtaken.length + late.length > 0 ? null : toNames(listed, work.steps);
  writeState(machine, { ...journal.next, marks }, names);
  return overtaken.length + late.length;
}

/** By the client's own rule, in which equal marks are the same ones. */
function isManyWrites({ marks, outbox }: Disk, { moves, next }: Journal): boolean {
  return moves.length > 0 || next.outbox !== outbox || JSON.stringify([...next.marks]) !== JSON.stringify([...marks]);
}

type Change = PlaceStep | RemoveStep;

function isChange(step: PullStep): step is Change {
  return step.kind === "place" || step.kind === "remove";
}

function stage(machine: Machine, { steps }: Work): { moves: Move[]; overtaken: MemoryKey[] } {
  const { disk } = machine;
  const moves: Move[] = [];
  const overtaken: MemoryKey[] = [];
  const changes = steps.filter(isChange).sort((a, b) => Number(b.kind === "remove") - Number(a.kind === "remove"));
  for (const change of changes) {
    pass(machine);
    const { key } = change;
    const displaced = disk.files.get(key) ?? null;
    if (displaced !== change.expected) {
      overtaken.push(key);
      continue;
    }
    if (displaced !== null) keepInAttic(disk, key, displaced);
    moves.push({ key, blob: toPlaced(disk, change), displaced, base: baseOf(disk, disk.pulled, key) });
  }
  return { moves, overtaken };
}

/** What a plan calls proposed is taken from the outbox, whatever the plan thinks that it is. */
function toPlaced(disk: Disk, change: Change): string | null {
  if (change.kind === "remove") return null;
  if (change.text !== "proposed") return change.blob;
  return findSent(disk, change.key) ?? blobIdOf("");
}

function findSent({ outbox }: Disk, key: string): string | null {
  return outbox.open?.changes.find((change) => change.key === key)?.blob ?? null;
}

function withStepMarks(disk: Disk, { steps, next }: Work): Marks {
  const marks = new Map(next.marks);
  for (const step of steps) {
    const of = withConflict(disk, step);
    if (Object.keys(of).length === 0) marks.delete(step.key);
    else marks.set(step.key, of);
  }
  return marks;
}

/** A parked text is named by its blob: the attic is a map here. */
function withConflict(disk: Disk, step: PullStep): KeyMarks {
  if (step.kind !== "place" || step.parks === null) return step.marks;
  const sent = findSent(disk, step.key);
  if (step.parks === "proposed" && sent !== null) keepInAttic(disk, step.key, sent);
  const attic = step.parks === "local" ? step.expected : sent;
  return attic === null ? step.marks : park(step.marks, { attic });
}

/** False: somebody has written there, and their file stands. */
function moveFile(machine: Machine, { staged }: Journal, { key, blob, displaced }: Move): boolean {
  const { files } = machine.disk;
  pass(machine);
  const here = files.get(key) ?? null;
  if (blob === null && here === null) return true;
  if (here !== displaced) return false;
  if (here !== null) {
    machine.seen.set(key, here);
    files.delete(key);
  }
  if (blob === null) return true;
  pass(machine);
  if (files.has(key)) return false;
  staged.delete(key);
  files.set(key, blob);
  return true;
}

function writeState(machine: Machine, next: Journal["next"], names: ReadonlySet<string> | null): void {
  const { disk } = machine;
  disk.marks = next.marks;
  pass(machine);
  disk.outbox = next.outbox;
  pass(machine);
  const isUnsettled = [...next.marks.values()].some(({ unplaced }) => unplaced !== undefined);
  disk.pulled = { ...next.pulled, head: { ...next.pulled.head, isUnsettled }, names };
  disk.journal = null;
}

function toNames(listed: readonly string[], steps: readonly PullStep[]): ReadonlySet<string> {
  const names = new Set(listed);
  for (const step of steps) {
    if (step.kind === "place") names.add(step.key);
    if (step.kind === "remove") names.delete(step.key);
  }
  return names;
}

/** Goes on where a killed run stopped. */
export function recover(machine: Machine, journal: Journal): void {
  const late = journal.moves.filter((move) => !resumeMove(machine, journal, move)).map(({ key }) => key);
  const bases = new Map(journal.moves.map(({ key, base }) => [key, base]));
  const baseOfMove = (key: MemoryKey) => bases.get(key) ?? null;
  pass(machine);
  const marks = settleMarks(journal.next.marks, {
    parked: new Map(),
    before: machine.disk.marks,
    overtaken: late,
    baseOf: baseOfMove,
  });
  writeState(machine, { ...journal.next, marks }, null);
}

function resumeMove(machine: Machine, journal: Journal, move: Move): boolean {
  const { key, blob } = move;
  const { files } = machine.disk;
  if (blob !== null && !journal.staged.has(key)) return true;
  pass(machine);
  if (blob === null || files.has(key)) return moveFile(machine, journal, move);
  journal.staged.delete(key);
  files.set(key, blob);
  return true;
}
