/** The outbox's few moves over a disk that is a map: the client's own decisions, and kills between what they write. */
import { planAcknowledged, planMarksSettled, planNext, planRaised } from "../../client/sync/push/plan-outbox.ts";
import type { Marks } from "../../client/sync/state/marks.ts";
import type { OpenProposal } from "../../client/sync/state/outbox.ts";
import { type Machine, pass } from "./machine.ts";
import type { PlannedSet } from "./run-push.ts";

export function openNext(machine: Machine, { set, restore }: PlannedSet, nowMs: number): OpenProposal | null {
  const { outbox } = machine.disk;
  const next = planNext(outbox.open, { changes: set.changes, restore }, { newId: () => nextId(machine), nowMs });
  if (next !== outbox.open) machine.disk.outbox = { ...outbox, open: next };
  return next;
}

function nextId(machine: Machine): string {
  machine.proposalsMade += 1;
  return `${machine.id}-${machine.proposalsMade}`;
}

/** The service has it. */
export function acknowledge(machine: Machine, planned: PlannedSet): void {
  const { disk } = machine;
  const open = planAcknowledged(disk.outbox.open, planned.set, { url: "", atMs: 0 });
  if (disk.pulled !== null) {
    const { head } = disk.pulled;
    disk.pulled = { ...disk.pulled, head: { ...head, proposals: open === null ? [] : [open.id] } };
  }
  pass(machine);
  disk.outbox = { open, forbidden: null };
  pass(machine);
  noteSettled(machine, planned);
}

export function noteSettled({ disk }: Machine, planned: PlannedSet): void {
  disk.marks = withoutEmpty(planMarksSettled(disk.marks, planned));
}

/** As the client's file of marks leaves them out. */
function withoutEmpty(marks: Marks): Marks {
  return new Map([...marks].filter(([, of]) => Object.keys(of).length > 0));
}

/** The service is at a later set than this outbox remembers. */
export function raise({ disk }: Machine, seq: number, nowMs: number): void {
  const { open } = disk.outbox;
  if (open !== null) disk.outbox = { ...disk.outbox, open: planRaised(open, seq, nowMs) };
}
