import { createHash } from "node:crypto";
import { ulid } from "ulid";
import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { type SyncContext, toWhere } from "./context.ts";
import type { PlannedPush } from "./plan-from-disk.ts";
import type { KeyProblem } from "./push-set.ts";
import { writeHead } from "./state/head.ts";
import { type KeyMarks, without } from "./state/marks.ts";
import { writeMarks } from "./state/marks-file.ts";
import { type OpenProposal, type Outbox, type SentSet, writeOutbox } from "./state/outbox.ts";
import { type OpenedState, readState } from "./state/state.ts";

/** The outbox's few moves, each on the disk before what follows from it. */

/**
 * The proposal as it should stand now, written down: the same one where nothing changed, the next set of it, or a new
 * one. Null: there is none, and nothing to propose.
 */
export function openNext(state: OpenedState, planned: PlannedPush, stateFolder: string): OpenProposal | null {
  const { open } = state.outbox;
  const { changes } = planned.set;
  const { restore } = planned;
  if (open === null && changes.length === 0) return null;
  if (open !== null && isSameSet(open, changes, restore)) return open;
  const next: OpenProposal =
    open === null
      ? { id: ulid(), seq: 1, changes, restore, acknowledged: null, earlier: [] }
      : {
          ...open,
          seq: open.seq + 1,
          changes,
          restore,
          earlier: [toSet(open), ...open.earlier].slice(0, LIMITS.earlierSetsMax),
        };
  writeOutbox(stateFolder, { ...state.outbox, open: next });
  return next;
}

function toSet({ seq, changes }: OpenProposal): SentSet {
  return { seq, changes: changes.map(({ key, blob }) => ({ key, blob })) };
}

/** The service has it. The head goes first: a proposal that no pull asks about would never end here. */
export function acknowledge(context: SyncContext, planned: PlannedPush, url: string): OpenedState {
  const { stateFolder } = context;
  const state = readState(stateFolder, toWhere(context));
  const { open } = state.outbox;
  const isWithdrawn = planned.set.changes.length === 0;
  const kept = open === null || isWithdrawn ? null : { ...open, acknowledged: { seq: open.seq, url }, earlier: [] };
  const outbox: Outbox = { open: kept, forbidden: null };
  const head = { ...state.head, proposals: kept === null ? [] : [kept.id] };
  if (head.proposals.join() !== state.head.proposals.join()) writeHead(stateFolder, head);
  writeOutbox(stateFolder, outbox);
  noteSettled(context, state, planned);
  return { ...state, outbox, head };
}

/**
 * What is sent, or was named and has nothing to send, is a person's decision by now: what held it back before is
 * forgotten; so are removals of memories that nobody had reviewed, once no proposal holds them.
 */
export function noteSettled({ stateFolder }: SyncContext, { marks }: OpenedState, planned: PlannedPush): void {
  const after = toMarksAfter(marks, planned);
  if (JSON.stringify([...after]) !== JSON.stringify([...marks])) writeMarks(stateFolder, after);
}

interface RefusedSet {
  readonly sent: OpenProposal;
  /** Null: it would be refused in any proposal. */
  readonly proposal: string | null;
}

/** What the service would not take waits, as it was sent: every session would ask again, and be refused again. */
export function noteRefused(context: SyncContext, keys: readonly KeyProblem[], { sent, proposal }: RefusedSet): void {
  const { marks } = readState(context.stateFolder, toWhere(context));
  const blobOf = new Map(sent.changes.map(({ key, blob }) => [key, blob]));
  const refused = keys.flatMap(({ key, code, message }): [string, KeyMarks][] => {
    const blob = blobOf.get(key);
    if (blob === undefined) return [];
    const said = message.slice(0, LIMITS.refusalLengthMax);
    return [[key, { ...marks.get(key), refused: { blob, proposal, code, message: said } }]];
  });
  if (refused.length > 0) writeMarks(context.stateFolder, new Map([...marks, ...refused]));
}

/** The service is at a later set than this outbox remembers: go on from there. */
export function raise(context: SyncContext, error: TeamMemoryError): "again" {
  const state = readState(context.stateFolder, toWhere(context));
  const { open } = state.outbox;
  const seq = Number(error.details["seq"]);
  if (open === null || !Number.isSafeInteger(seq) || seq < open.seq) throw error;
  writeOutbox(context.stateFolder, { ...state.outbox, open: { ...open, seq: seq + 1, acknowledged: null } });
  return "again";
}

/** This token may not propose here: said once, and tried again after a day. */
export function forbid(context: SyncContext, nowMs: number): void {
  const { outbox } = readState(context.stateFolder, toWhere(context));
  writeOutbox(context.stateFolder, { ...outbox, forbidden: { atMs: nowMs, tokenHash: hashToken(context) } });
}

export function isForbidden(context: SyncContext, { forbidden }: Outbox, nowMs: number): boolean {
  if (forbidden === null || forbidden.tokenHash !== hashToken(context)) return false;
  const ageMs = nowMs - forbidden.atMs;
  // A clock that was set back says nothing of when to ask again.
  return ageMs >= 0 && ageMs < LIMITS.forbiddenRetryMs;
}

function hashToken({ service }: SyncContext): string {
  return createHash("sha256")
    .update(service.token ?? "")
    .digest("hex");
}

function isSameSet(open: OpenProposal, changes: OpenProposal["changes"], restore: readonly string[]): boolean {
  const shape = (set: OpenProposal["changes"]) =>
    JSON.stringify(set.map(({ key, blob, baseBlob }) => [key, blob, baseBlob]).sort());
  return shape(open.changes) === shape(changes) && JSON.stringify(open.restore) === JSON.stringify(restore);
}

function toMarksAfter(marks: OpenedState["marks"], { steps, facts, set }: PlannedPush): ReadonlyMap<string, KeyMarks> {
  const sent = new Set(set.changes.map(({ key }) => key));
  const named = new Set<string>(facts.filter(({ isNamed }) => isNamed).map(({ key }) => key));
  const after = new Map(marks);
  for (const { kind, key } of steps) {
    const before = marks.get(key);
    if (before === undefined) continue;
    const isSettled = kind === "send" ? sent.has(key) : kind === "none" && named.has(key);
    const settled = isSettled ? without(before, "held", "rejected", "conflict", "refused") : before;
    after.set(key, settled.removal?.blob === null && !sent.has(key) ? without(settled, "removal") : settled);
  }
  return after;
}
