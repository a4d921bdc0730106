/**
 * A pull as the client makes it: the real decisions and plans, over a disk that is a map. The order of what is written,
 * and so what a kill leaves, is that of carryOut, placing and recover.
 */

import { type Merged, resolveMerges } from "../../client/sync/merge/resolve-merges.ts";
import { markApart } from "../../client/sync/pull/mark-apart.ts";
import type { KeyFacts, MergeStep, PlannedStep, PullStep } from "../../client/sync/pull/plan-pull.ts";
import { NO_MARKS } from "../../client/sync/state/marks.ts";
import { planWish, type Wish } from "../../client/sync/wish/plan-wish.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { ProposalOutcome } from "../../shared/protocol/schemas.ts";
import { mergeMemory } from "../../shared/sync/merge-memory.ts";
import { carryOut, recover } from "./carry-out.ts";
import { ask, type ClientRun } from "./client-run.ts";
import { type Disk, NEVER_PULLED, type Pulled } from "./disk.ts";
import { baseOf, pass } from "./machine.ts";
import { Violation } from "./violation.ts";

export interface Answer {
  readonly served: ReadonlyMap<string, string>;
  readonly outcomes: ReadonlyMap<string, ProposalOutcome>;
  readonly etag: string;
}

/** @throws NotReached, Killed */
export function runPull(run: ClientRun): void {
  const { machine } = run;
  const { disk } = machine;
  if (disk.journal !== null) recover(machine, disk.journal);
  const { pulled } = disk;
  const answer = ask(run, () => fetchAnswer(run, pulled));
  pass(machine);
  const isQuiet =
    answer === null && pulled?.head.isUnsettled === false && !run.acceptRemovals && isAsLeft(disk, pulled);
  if (!isQuiet) takeIn(run, answer);
}

/** Null: not modified. */
function fetchAnswer({ service }: ClientRun, pulled: Pulled | null): Answer | null {
  const { base } = service;
  const outcomes = service.outcomesOf(pulled?.head.proposals ?? []);
  const etag = JSON.stringify([base.isHeld, ...toServedId(base.served), [...outcomes]]);
  return pulled?.head.etag === etag ? null : { served: base.served, outcomes, etag };
}

function toServedId(served: ReadonlyMap<string, string>): string[] {
  return [...served].map((entry) => entry.join()).sort();
}

function isAsLeft({ files }: Disk, { names }: Pulled): boolean {
  if (names === null || names.size !== files.size) return false;
  for (const key of files.keys()) if (!names.has(key)) return false;
  return true;
}

function takeIn(run: ClientRun, answer: Answer | null): void {
  let overtaken = settle(run, { answer });
  for (let attempt = 1; overtaken > 0 && attempt < LIMITS.placeAttemptsMax; attempt += 1) {
    overtaken = settle(run, { answer: null });
  }
}

/** @returns how many keys somebody wrote meanwhile */
export function settle(run: ClientRun, { answer, wish }: { answer: Answer | null; wish?: Wish }): number {
  const { machine, planner } = run;
  const { disk } = machine;
  const pulled = disk.pulled ?? NEVER_PULLED;
  const after = answer?.served ?? pulled.pristine;
  const before = { head: pulled.head, marks: disk.marks, outbox: disk.outbox };
  const decided = planner.decide(before, answer?.outcomes ?? new Map());
  const facts = gatherFacts(disk, { pulled, after, decided, asked: wish?.key ?? null });
  const planned = plan(run, facts, wish);
  const resolved = resolveMerges(planned, (step) => merge(run, step));
  if (!machine.hasForgotten) assertMadeOfBase(run, planned);
  noteMerged(run, planned, resolved.given);
  const steps = markApart(resolved.steps, facts, decided.outbox.open);
  if (!machine.hasForgotten) assertNoFalseConflict(run, steps, answer);
  for (const step of steps) run.tell(`  ${step.key}: ${toWords(step)}`);
  return carryOut(machine, {
    steps,
    next: { marks: decided.marks, outbox: decided.outbox },
    head: toNextHead(pulled, answer, decided.outbox.open?.id ?? null),
    pristine: after,
  });
}

function toWords(step: PullStep): string {
  if (step.kind === "keep") return `keep, ${step.state}`;
  return "because" in step ? `${step.kind}, ${step.because}` : step.kind;
}

type Decided = ReturnType<ClientRun["planner"]["decide"]>;

interface FactSources {
  readonly pulled: Pulled;
  readonly after: ReadonlyMap<string, string>;
  readonly decided: Decided;
  readonly asked: MemoryKey | null;
}

function gatherFacts(disk: Disk, { pulled, after, decided, asked }: FactSources): KeyFacts[] {
  const { marks, proposed } = decided;
  const known = [pulled.pristine, after, marks, proposed, disk.files].flatMap((map): string[] => [...map.keys()]);
  const keys = [...new Set(asked === null ? known : [...known, asked])] as MemoryKey[];
  const isIdle = (key: MemoryKey) => {
    const isSame = after.has(key) && pulled.pristine.get(key) === after.get(key) && disk.files.has(key);
    return isSame && key !== asked && !marks.has(key) && !proposed.has(key);
  };
  return keys
    .filter((key) => !isIdle(key))
    .map((key) => {
      const blob = disk.files.get(key);
      return {
        key,
        base: baseOf({ marks }, pulled, key),
        remote: after.get(key) ?? null,
        local: blob === undefined ? { kind: "absent" } : { kind: "file", blob },
        proposed: proposed.get(key) ?? null,
        marks: marks.get(key) ?? NO_MARKS,
      };
    });
}

function plan({ machine, planner, acceptRemovals }: ClientRun, facts: KeyFacts[], wish?: Wish): PlannedStep[] {
  const { pulled } = machine.disk;
  const asked = facts.find(({ key }) => key === wish?.key);
  const circumstances = {
    isFirst: pulled === null,
    isUnsure: false,
    placedFiles: pulled?.pristine.size ?? 0,
    acceptRemovals,
  };
  const steps = planner.planPull(
    facts.filter((one) => one !== asked),
    circumstances,
  );
  const step = asked === undefined || wish === undefined ? null : planWish(asked, wish);
  return step === null ? steps : [...steps, step];
}

function merge({ ledger }: ClientRun, { base: from, mine, theirs }: MergeStep): Merged {
  const base = from === null ? null : ledger.textOf(from);
  const merged = mergeMemory(base, ledger.textOf(mine), ledger.textOf(theirs));
  return merged.kind === "merged" ? merged : { kind: "conflict", base };
}

/** What was made here descends from both sides, and is as much somebody's edit as mine was. */
function noteMerged(
  { machine, ledger }: ClientRun,
  planned: readonly PlannedStep[],
  given: ReadonlyMap<string, string>,
) {
  for (const step of planned) {
    const text = step.kind === "merge" ? given.get(step.key) : undefined;
    if (step.kind !== "merge" || text === undefined) continue;
    const blob = ledger.write(text, step.mine, step.theirs);
    const origin = `${step.key}:${blob}`;
    machine.origins.set(origin, machine.origins.has(origin) ? "remade" : "edit");
  }
}

/** What a text is merged from, it was made of: else somebody's words would count as taken out on purpose. */
function assertMadeOfBase({ machine, ledger }: ClientRun, planned: readonly PlannedStep[]): void {
  for (const step of planned) {
    if (step.kind !== "merge" || step.base === null || ledger.descends(step.mine, step.base)) continue;
    throw new Violation(`client ${machine.id}: ${step.key} is merged from a text that it was not made of`);
  }
}

/** A text that the team took and touched is no conflict with the one it was made of, once the client is told of it. */
function assertNoFalseConflict(
  { machine, ledger }: ClientRun,
  steps: readonly PullStep[],
  answer: Answer | null,
): void {
  const { open } = machine.disk.outbox;
  const outcome = open === null ? undefined : answer?.outcomes.get(open.id);
  if (outcome?.state !== "merged" || outcome.seq !== open?.seq) return;
  for (const step of steps) {
    if (step.kind !== "place" || step.because !== "conflict" || step.expected === null) continue;
    const isTaken = open.changes.some(({ key, blob }) => key === step.key && blob === step.expected);
    const isMadeOfMine = isTaken && !outcome.rejected.includes(step.key) && ledger.descends(step.blob, step.expected);
    if (isMadeOfMine) throw new Violation(`client ${machine.id}: ${step.key} is in conflict with what was made of it`);
  }
}

function toNextHead({ head }: Pulled, answer: Answer | null, open: string | null): Pulled["head"] {
  const known = { ...head, proposals: open === null ? [] : [open] };
  return answer === null ? known : { ...known, etag: answer.etag };
}
