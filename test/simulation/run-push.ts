/** A push as the client makes it: the real plan and the real set, over a disk that is a map. */

import type { LocalFact } from "../../client/sync/folder/local-fact.ts";
import {
  isStillForbidden,
  isStillMeant,
  listRestored,
  planMarksRefused,
  type RefusedSet,
} from "../../client/sync/push/plan-outbox.ts";
import type { PushFacts, PushStep } from "../../client/sync/push/plan-push.ts";
import { buildSet, type WantedSet } from "../../client/sync/push/push-set.ts";
import { withhold } from "../../client/sync/push/withhold.ts";
import { NO_MARKS } from "../../client/sync/state/marks.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import { ask, type ClientRun, NotReached } from "./client-run.ts";
import { baseOf, pass } from "./machine.ts";
import { acknowledge, noteSettled, openNext, raise } from "./outbox.ts";
import { runPull } from "./run-pull.ts";
import type { PutAnswer, PutRequest } from "./service.ts";

/** Rounds of pushing that the client allows itself. */
const ROUNDS_MAX = 6;

export interface PlannedSet {
  readonly steps: readonly PushStep[];
  readonly set: WantedSet;
  readonly restore: readonly string[];
  readonly named: ReadonlySet<string>;
}

/** What earlier rounds have left to send. */
interface Blocked {
  /** What a person asked for, as long as it is the text that they saw. */
  readonly named: Set<MemoryKey>;
  readonly problems: Set<string>;
  /** How often each was refused. */
  readonly waiting: Map<string, number>;
}

/** @throws NotReached, Killed; what was to be sent stays in the outbox */
export function runPush(run: ClientRun, named: ReadonlySet<MemoryKey>): void {
  const { machine } = run;
  const blocked: Blocked = { named: new Set(named), problems: new Set(), waiting: new Map() };
  if (machine.disk.journal !== null || machine.disk.pulled === null) pullAgain(run, blocked);
  for (let round = 1; pushOnce(run, blocked) === "again"; round += 1) {
    if (round >= ROUNDS_MAX) break;
  }
}

/** A pull may put another text in place of one that was named, or find that the team has removed it. */
function pullAgain(run: ClientRun, { named }: Blocked): void {
  const { disk } = run.machine;
  const before = disk.marks;
  runPull({ ...run, acceptRemovals: false });
  for (const key of named) if (!isStillMeant(key, before, disk.marks)) named.delete(key);
}

function pushOnce(run: ClientRun, blocked: Blocked): "again" | "done" {
  const { machine, service } = run;
  const { named } = blocked;
  if (named.size === 0 && isForbidden(run)) return "done";
  const planned = planSet(run, blocked);
  const before = machine.disk.outbox.open;
  const open = openNext(machine, planned, run.nowMs);
  pass(machine);
  if (open === null || (open === before && open.acknowledged?.seq === open.seq)) {
    noteSettled(machine, planned);
    return "done";
  }
  const changes = open.changes.map(({ key, baseBlob, blob }) => ({ key, baseBlob, blob }));
  const request: PutRequest = { id: open.id, owner: machine.id, seq: open.seq, changes, restore: open.restore };
  const answer = ask(run, () => service.put(request), request);
  pass(machine);
  return settleAnswer(run, { answer, planned, blocked, request });
}

interface Answered {
  readonly answer: PutAnswer;
  readonly planned: PlannedSet;
  readonly blocked: Blocked;
  readonly request: PutRequest;
}

/** @throws NotReached where another round would not change it */
function settleAnswer(run: ClientRun, { answer, planned, blocked, request }: Answered): "again" | "done" {
  const { machine } = run;
  switch (answer.kind) {
    case "taken":
      if (answer.state !== "open" && planned.set.changes.length > 0) break;
      acknowledge(machine, planned);
      return "done";
    case "forbidden":
      machine.disk.outbox = { ...machine.disk.outbox, forbidden: { atMs: run.nowMs, tokenHash: "" } };
      return "done";
    case "sequence_conflict":
      raise(machine, answer.seq, run.nowMs);
      return "again";
    case "conflict":
      noteConflict(run, { keys: answer.keys, request, blocked });
      return "again";
    case "stale_text":
      for (const key of answer.keys) blocked.problems.add(key);
      noteRefused(run, answer.keys, { sent: request, proposal: null });
      return "again";
    case "base_held":
      throw new NotReached();
  }
  pullAgain(run, blocked);
  return "again";
}

interface Conflict {
  readonly keys: readonly string[];
  readonly request: PutRequest;
  readonly blocked: Blocked;
}

/** Where the team's text is another one than before, what was sent is not what will be sent next. */
function noteConflict(run: ClientRun, { keys, request, blocked }: Conflict): void {
  const { disk } = run.machine;
  const before = disk.pulled?.pristine;
  pullAgain(run, blocked);
  const waiting = keys.filter((key) => disk.pulled?.pristine.get(key) === before?.get(key));
  for (const key of waiting) blocked.waiting.set(key, (blocked.waiting.get(key) ?? 0) + 1);
  noteRefused(run, waiting, { sent: request, proposal: request.id });
}

function noteRefused({ machine: { disk } }: ClientRun, keys: readonly string[], refused: RefusedSet): void {
  const problems = keys.map((key) => ({ key, code: "conflict", message: "" }) as const);
  disk.marks = planMarksRefused(disk.marks, problems, refused);
}

function isForbidden({ machine, nowMs }: ClientRun): boolean {
  const { forbidden } = machine.disk.outbox;
  return forbidden !== null && isStillForbidden(forbidden, nowMs);
}

function planSet({ machine, ledger, planner }: ClientRun, { named, problems, waiting }: Blocked): PlannedSet {
  const { disk } = machine;
  const { pulled, marks, outbox, files } = disk;
  const sent = new Map(outbox.open?.changes.map((change) => [change.key, change]));
  const keys = [...new Set([...files.keys(), ...sent.keys(), ...marks.keys(), ...named])] as MemoryKey[];
  const facts = keys.map((key): PushFacts => {
    const of = marks.get(key) ?? NO_MARKS;
    const base = baseOf(disk, pulled, key);
    return { key, base, local: localOf(files.get(key)), isSent: sent.has(key), marks: of, isNamed: named.has(key) };
  });
  const proposal = outbox.open?.id ?? null;
  const refusals = { marks, proposal, counts: waiting, named, isSent: (key: string) => sent.has(key) };
  const steps = planner.planPush(facts).map((step) => withhold(step, refusals));
  const set = buildSet({
    steps: steps.filter(({ key }) => !problems.has(key)),
    sent,
    read: (key) => {
      const blob = files.get(key);
      if (blob === undefined) return { kind: "absent", bytes: null };
      return { kind: "file", blob, bytes: NO_BYTES, text: ledger.textOf(blob), mtimeMs: 0 };
    },
    baseOf: (key) => {
      const blob = pulled?.pristine.get(key);
      return blob === undefined ? null : { blob, canonicalBlob: blob };
    },
    assertProposable: () => {},
  });
  return { steps, set, restore: listRestored(set.changes, marks), named };
}

const NO_BYTES = new Uint8Array();

function localOf(blob: string | undefined): LocalFact {
  return blob === undefined ? { kind: "absent" } : { kind: "file", blob };
}
