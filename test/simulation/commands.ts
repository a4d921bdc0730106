/** What people do with the client by name: `rm`, `restore`, `push KEY`, and deciding a conflict. */
import { listParked, NO_MARKS, without } from "../../client/sync/state/marks.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { ClientRun } from "./client-run.ts";
import { keepInAttic } from "./disk.ts";
import { baseOf, giveUp, type Machine, pass } from "./machine.ts";
import { settle } from "./run-pull.ts";

export function removeKey(run: ClientRun, key: MemoryKey): void {
  const { machine } = run;
  const { disk } = machine;
  const here = disk.files.get(key);
  const reviewed = disk.pulled?.pristine.get(key) ?? null;
  const isSent = disk.outbox.open?.changes.some((change) => change.key === key) === true;
  if (here === undefined && reviewed === null && !isSent) return;
  if (reviewed !== null && baseOf(disk, disk.pulled, key) !== reviewed) return;
  machine.removals.add(`${key}:${reviewed}`);
  dropOwed(machine, key);
  mark(machine, key, (marks) => ({ ...without(marks, "rejected", "held", "restore"), removal: { blob: reviewed } }));
  pass(machine);
  if (here !== undefined) {
    keepInAttic(disk, key, here);
    pass(machine);
    machine.seen.set(key, here);
    disk.files.delete(key);
  }
  pass(machine);
  settle(run, { answer: null });
}

export function restoreKey(run: ClientRun, key: MemoryKey): void {
  const { machine } = run;
  const { disk } = machine;
  if (disk.pulled?.pristine.has(key) === true) {
    dropOwed(machine, key);
    noteUndone(machine, key);
    settle(run, { answer: null, wish: { kind: "revert", key } });
    return;
  }
  const sent = disk.outbox.open?.changes.find((change) => change.key === key)?.blob;
  const blob = disk.files.get(key) ?? sent ?? disk.attic.get(key)?.at(-1);
  if (blob === undefined) return;
  disk.files.set(key, blob);
  machine.origins.set(`${key}:${blob}`, "named");
  pass(machine);
  mark(machine, key, (marks) => ({ ...without(marks, "removal", "rejected", "held"), restore: { blob } }));
  settle(run, { answer: null });
}

/** A person knows what they push by name. False: there is nothing of it to push. */
export function namePush({ machine, ledger }: Pick<ClientRun, "machine" | "ledger">, key: MemoryKey): boolean {
  const { files, marks, pulled } = machine.disk;
  const here = files.get(key);
  if (here === undefined) return false;
  machine.origins.set(`${key}:${here}`, "named");
  for (const parked of listParked(marks.get(key) ?? NO_MARKS)) giveUp(machine, ledger, { key, here: parked });
  ledger.acknowledge(here, pulled?.pristine.get(key) ?? null);
  return true;
}

/** `conflicts resolve KEY --mine` or `--theirs`. */
export function resolveConflict(run: ClientRun, key: MemoryKey, side: "mine" | "theirs"): void {
  const { machine, ledger } = run;
  const { disk } = machine;
  const parked = listParked(disk.marks.get(key) ?? NO_MARKS);
  const [mine] = parked;
  if (mine === undefined) return;
  dropOwed(machine, key);
  if (side === "theirs") {
    noteUndone(machine, key);
    settle(run, { answer: null, wish: { kind: "revert", key } });
    return;
  }
  for (const seen of [disk.pulled?.pristine.get(key), disk.files.get(key)]) ledger.acknowledge(mine, seen ?? null);
  machine.owed.set(mine, key);
  machine.origins.set(`${key}:${mine}`, "named");
  settle(run, { answer: null, wish: { kind: "take", key, text: ledger.textOf(mine) } });
}

/** Whatever of theirs there is of it, in place, parked or sent. */
function noteUndone({ disk, undone }: Machine, key: MemoryKey): void {
  const sent = disk.outbox.open?.changes.find((change) => change.key === key)?.blob;
  const all = [disk.files.get(key), sent, ...listParked(disk.marks.get(key) ?? NO_MARKS)];
  undone.set(
    key,
    all.filter((blob) => typeof blob === "string"),
  );
}

/** What a person has decided about is theirs to answer for. */
function dropOwed({ owed }: Machine, key: MemoryKey): void {
  for (const [blob, of] of owed) if (of === key) owed.delete(blob);
}

function mark({ disk }: Machine, key: MemoryKey, change: (marks: typeof NO_MARKS) => typeof NO_MARKS): void {
  disk.marks = new Map([...disk.marks, [key, change(disk.marks.get(key) ?? NO_MARKS)]]);
}
