/** The outbox's few moves, each on the disk before what follows from it: those of client/sync/outbox-steps. */
import { type KeyMarks, without } from "../../client/sync/state/marks.ts";
import type { OpenProposal } from "../../client/sync/state/outbox.ts";
import { LIMITS } from "../../shared/limits.ts";
import { type Machine, pass } from "./machine.ts";
import type { PlannedSet } from "./run-push.ts";

export function openNext(machine: Machine, { set, restore }: PlannedSet): OpenProposal | null {
  const { outbox } = machine.disk;
  const { open } = outbox;
  const { changes } = set;
  if (open === null && changes.length === 0) return null;
  if (open !== null && isSameSet(open, changes, restore)) return open;
  const next =
    open === null
      ? { id: nextId(machine), seq: 1, changes, restore, acknowledged: null, earlier: [] }
      : {
          ...open,
          seq: open.seq + 1,
          changes,
          restore,
          earlier: [{ seq: open.seq, changes: open.changes }, ...open.earlier].slice(0, LIMITS.earlierSetsMax),
        };
  machine.disk.outbox = { ...outbox, open: next };
  return next;
}

function nextId(machine: Machine): string {
  machine.proposalsMade += 1;
  return `${machine.id}-${machine.proposalsMade}`;
}

function isSameSet(open: OpenProposal, changes: OpenProposal["changes"], restore: readonly string[]): boolean {
  const shape = (set: OpenProposal["changes"]) =>
    JSON.stringify(set.map(({ key, blob, baseBlob }) => [key, blob, baseBlob]).sort());
  return shape(open.changes) === shape(changes) && JSON.stringify(open.restore) === JSON.stringify(restore);
}

/** The service has it. */
export function acknowledge(machine: Machine, planned: PlannedSet): void {
  const { disk } = machine;
  const { open } = disk.outbox;
  const isWithdrawn = planned.set.changes.length === 0;
  const kept = open === null || isWithdrawn ? null : { ...open, acknowledged: { seq: open.seq, url: "" }, earlier: [] };
  if (disk.pulled !== null) {
    const { head } = disk.pulled;
    disk.pulled = { ...disk.pulled, head: { ...head, proposals: kept === null ? [] : [kept.id] } };
  }
  pass(machine);
  disk.outbox = { open: kept, forbidden: null };
  pass(machine);
  noteSettled(machine, planned);
}

export function noteSettled({ disk }: Machine, { steps, set, named }: PlannedSet): void {
  const sent = new Set(set.changes.map(({ key }) => key));
  const after = new Map(disk.marks);
  for (const { kind, key } of steps) {
    const before = disk.marks.get(key);
    if (before === undefined) continue;
    const isSettled = kind === "send" ? sent.has(key) : kind === "none" && named.has(key);
    const settled = isSettled ? without(before, "held", "rejected", "conflict", "refused") : before;
    setMarks(after, key, settled.removal?.blob === null && !sent.has(key) ? without(settled, "removal") : settled);
  }
  disk.marks = after;
}

function setMarks(marks: Map<string, KeyMarks>, key: string, of: KeyMarks): void {
  if (Object.keys(of).length === 0) marks.delete(key);
  else marks.set(key, of);
}

/** The service is at a later set than this outbox remembers: go on from there. */
export function raise({ disk }: Machine, seq: number): void {
  const { open } = disk.outbox;
  if (open === null) return;
  disk.outbox = { ...disk.outbox, open: { ...open, seq: seq + 1, acknowledged: null } };
}
