import { createHash } from "node:crypto";
import { ulid } from "ulid";
import type { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { type SyncContext, toWhere } from "../context.ts";
import { writeHead } from "../state/head.ts";
import { writeMarks } from "../state/marks-file.ts";
import { type OpenProposal, type Outbox, writeOutbox } from "../state/outbox.ts";
import { type OpenedState, readState } from "../state/state.ts";
import type { PlannedPush } from "./plan-from-disk.ts";
import {
  isStillForbidden,
  planAcknowledged,
  planMarksRefused,
  planMarksSettled,
  planNext,
  planRaised,
  type RefusedSet,
} from "./plan-outbox.ts";
import type { KeyProblem } from "./push-set.ts";

/** The outbox's few moves, decided by plan-outbox, each on the disk before what follows from it. */

/** The proposal as it should stand now, written down. Null: there is none, and nothing to propose. */
export function openNext(state: OpenedState, planned: PlannedPush, stateFolder: string): OpenProposal | null {
  const { open } = state.outbox;
  const next = planNext(
    open,
    { changes: planned.set.changes, restore: planned.restore },
    { newId: ulid, nowMs: Date.now() },
  );
  if (next !== open) writeOutbox(stateFolder, { ...state.outbox, open: next });
  return next;
}

/** The service has it. The head goes first: a proposal that no pull asks about would never end here. */
export function acknowledge(context: SyncContext, planned: PlannedPush, url: string): OpenedState {
  const { stateFolder } = context;
  const before = readState(stateFolder, toWhere(context));
  const open = planAcknowledged(before.outbox.open, planned.set, { url, atMs: Date.now() });
  const outbox: Outbox = { open, forbidden: null };
  const state = askAbout(context, open?.id ?? null);
  writeOutbox(stateFolder, outbox);
  noteSettled(context, state, planned);
  return { ...state, outbox };
}

/** Pulls ask from now on what has become of this proposal; null: of none. */
export function askAbout(context: SyncContext, id: string | null): OpenedState {
  const state = readState(context.stateFolder, toWhere(context));
  const head = { ...state.head, proposals: id === null ? [] : [id] };
  if (head.proposals.join() !== state.head.proposals.join()) writeHead(context.stateFolder, head);
  return { ...state, head };
}

export function noteSettled({ stateFolder }: SyncContext, { marks }: OpenedState, planned: PlannedPush): void {
  const named = new Set<string>(planned.facts.filter(({ isNamed }) => isNamed).map(({ key }) => key));
  const after = planMarksSettled(marks, { ...planned, named });
  if (JSON.stringify([...after]) !== JSON.stringify([...marks])) writeMarks(stateFolder, after);
}

export function noteRefused(context: SyncContext, keys: readonly KeyProblem[], refused: RefusedSet): void {
  const { marks } = readState(context.stateFolder, toWhere(context));
  const after = planMarksRefused(marks, keys, refused);
  if (after !== marks) writeMarks(context.stateFolder, after);
}

/** @throws the error itself where it does not say how far the service is */
export function raise(context: SyncContext, error: TeamMemoryError): "again" {
  const state = readState(context.stateFolder, toWhere(context));
  const { open } = state.outbox;
  const seq = Number(error.details["seq"]);
  if (open === null || !Number.isSafeInteger(seq) || seq < open.seq) throw error;
  writeOutbox(context.stateFolder, { ...state.outbox, open: planRaised(open, seq, Date.now()) });
  return "again";
}

/** This token may not propose here: said once, and tried again after a day. */
export function forbid(context: SyncContext, nowMs: number): void {
  const { outbox } = readState(context.stateFolder, toWhere(context));
  writeOutbox(context.stateFolder, { ...outbox, forbidden: { atMs: nowMs, tokenHash: hashToken(context) } });
}

export function isForbidden(context: SyncContext, { forbidden }: Outbox, nowMs: number): boolean {
  if (forbidden === null || forbidden.tokenHash !== hashToken(context)) return false;
  return isStillForbidden(forbidden, nowMs);
}

function hashToken({ service }: SyncContext): string {
  return createHash("sha256")
    .update(service.token ?? "")
    .digest("hex");
}
