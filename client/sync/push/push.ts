import { existsSync } from "node:fs";
import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { type SyncContext, toWhere, waitingFor } from "../context.ts";
import type { Oddity } from "../folder/list-team.ts";
import { withLock } from "../lock/lock.ts";
import { pullLocked } from "../pull/pull.ts";
import type { PullOptions } from "../pull/pull-options.ts";
import { joinReports, NOTHING_NEW, type PullReport } from "../pull/report.ts";
import { type Shown, toShown, withoutKey } from "../shown-key.ts";
import { writeHead } from "../state/head.ts";
import { statePath } from "../state/layout.ts";
import type { OpenProposal } from "../state/outbox.ts";
import { readPristine } from "../state/pristine.ts";
import { type OpenedState, readState } from "../state/state.ts";
import {
  acknowledge,
  askAbout,
  forbid,
  isForbidden,
  noteRefused,
  noteSettled,
  openNext,
  raise,
} from "./outbox-steps.ts";
import { type PlannedPush, planFromDisk } from "./plan-from-disk.ts";
import { isStillMeant } from "./plan-outbox.ts";
import type { HeldKey, KeyProblem } from "./push-set.ts";
import { type AcceptedProposal, putProposal } from "./put-proposal.ts";
import { takeUpLost } from "./take-up-lost.ts";

/**
 * Proposes what changed here: the whole wanted set, under one id. What is about to be sent is on the disk before it is
 * sent, so that a request whose answer was lost is sent again, the same.
 */
export interface PushReport {
  /** `forbidden`: the service says no, as of now; `still_forbidden`: it said so less than a day ago, and was not asked. */
  readonly kind: "sent" | "unchanged" | "nothing" | "withdrawn" | "forbidden" | "still_forbidden";
  readonly proposal: SentProposal | null;
  /** Keys of the proposal. */
  readonly keys: readonly string[];
  readonly held: readonly Shown<HeldKey>[];
  readonly problems: readonly Shown<KeyProblem>[];
  /** What lies under team/ and can be no memory. */
  readonly oddities: readonly Oddity[];
  /** What was taken in on the way: a base that had moved, and proposals that have ended, as its own where no review is asked for. */
  readonly pulled: PullReport;
  /** Keys of the open proposal that the team has already. */
  readonly merged: readonly string[];
}

export interface SentProposal {
  readonly id: string;
  readonly url: string;
  /** When the service last answered about it, since the epoch. */
  readonly sentAtMs: number | null;
}

export interface PushOptions extends PullOptions {
  /** Sent even where they were held back. */
  readonly named: ReadonlySet<MemoryKey>;
}

/** @throws TeamMemoryError; what was to be sent stays in the outbox, for the next run */
export function push(context: SyncContext, options: PushOptions): Promise<PushReport> {
  return withLock(context.stateFolder, { waitMs: options.lockWaitMs }, () => pushLocked(context, options));
}

/** The same for who holds the lock already. */
export async function pushLocked(context: SyncContext, options: PushOptions): Promise<PushReport> {
  const { stateFolder } = context;
  const blocked: Blocked = {
    named: new Set(options.named),
    problems: [],
    refusals: new Map(),
    pulled: NOTHING_NEW,
    merged: [],
  };
  const isKilled = existsSync(statePath(stateFolder, "journal"));
  const { isFirst, isUnsure, head } = readState(stateFolder, toWhere(context));
  // A pull that looks at everything says what is known of each key, before anything is proposed.
  if (isUnsure && !isFirst) writeHead(stateFolder, { ...head, isUnsettled: true });
  if (isKilled || isFirst || isUnsure) await pullAgain(context, options, blocked);
  await takeUpLost(context);
  for (let round = 1; ; round += 1) {
    const outcome = await pushOnce(context, options, blocked);
    if (outcome !== "again") return { ...outcome, pulled: blocked.pulled, merged: blocked.merged };
    if (round >= ROUNDS_MAX) throw new TeamMemoryError("conflict", "The proposal changes each time that it is sent");
  }
}

/** A finished proposal, a moved base, a set with bad keys: each is answered by one more round. */
const ROUNDS_MAX = 6;

/** What is left to send, and what the service would not take in an earlier round. */
interface Blocked {
  /** What the person asked for, as long as it is the text that they saw. */
  readonly named: Set<MemoryKey>;
  problems: readonly KeyProblem[];
  /** How often each was refused. */
  readonly refusals: Map<string, number>;
  pulled: PullReport;
  merged: readonly string[];
}

/** Of one round; what rounds before it took in is told once, at the end. */
type Round = Omit<PushReport, "pulled" | "merged">;

async function pushOnce(context: SyncContext, options: PushOptions, blocked: Blocked): Promise<Round | "again"> {
  const { stateFolder } = context;
  const state = readState(stateFolder, toWhere(context));
  const isRefused = blocked.named.size === 0 && isForbidden(context, state.outbox, Date.now());
  if (isRefused) return { ...NOTHING, kind: "still_forbidden" };
  const planned = await planFromDisk(context, state, blocked);
  const open = openNext(state, planned, stateFolder);
  if (open === null || (open === state.outbox.open && open.acknowledged?.seq === open.seq)) {
    noteSettled(context, state, planned);
    return toReport(planned, open === null ? "nothing" : "unchanged", state);
  }
  options.progress?.(waitingFor(context));
  try {
    const accepted = await putProposal(context, open);
    return await settleAnswer({ context, options, planned, blocked, open, accepted });
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    return await settleRefusal({ context, options, planned, blocked, open, error });
  }
}

interface Answered {
  readonly context: SyncContext;
  readonly options: PushOptions;
  readonly planned: PlannedPush;
  readonly blocked: Blocked;
  readonly open: OpenProposal;
}

async function settleAnswer(answered: Answered & { accepted: AcceptedProposal }): Promise<Round | "again"> {
  const { context, options, planned, blocked, open, accepted } = answered;
  const isWithdrawn = planned.set.changes.length === 0;
  if (accepted.state !== "open" && !isWithdrawn) {
    askAbout(context, open.id);
    await pullAgain(context, options, blocked);
    return "again";
  }
  const next = acknowledge(context, planned, accepted.url);
  const merged = planned.set.changes.filter(({ key }) => accepted.merged.has(key)).map(({ key }) => key);
  if (merged.length > 0) {
    blocked.merged = [...new Set([...blocked.merged, ...merged])];
    await pullAgain(context, options, blocked);
    return "again";
  }
  return toReport(planned, isWithdrawn ? "withdrawn" : "sent", next);
}

/** @throws the error itself where another round would not change it */
async function settleRefusal(refused: Answered & { error: TeamMemoryError }): Promise<Round | "again"> {
  const { context, options, blocked, open, error } = refused;
  if (error.code === "forbidden") {
    forbid(context, Date.now());
    return { ...NOTHING, kind: "forbidden" };
  }
  if (error.code === "sequence_conflict") return raise(context, error);
  if (error.code === "proposal_finished") {
    await pullAgain(context, options, blocked);
    return "again";
  }
  const keys = readKeys(error);
  if (error.code === "conflict" && keys.length > 0) {
    const isMoved = await pullAgain(context, options, blocked);
    const waiting = keys.filter(({ key }) => !isMoved(key));
    for (const { key } of waiting) blocked.refusals.set(key, (blocked.refusals.get(key) ?? 0) + 1);
    noteRefused(context, waiting, { sent: open, proposal: open.id });
    return "again";
  }
  if (error.code !== "unprocessable_proposal" || keys.length === 0) throw error;
  blocked.problems = [...blocked.problems, ...keys];
  noteRefused(context, keys, { sent: open, proposal: null });
  return "again";
}

/** Each key that the service names, with its own reason. */
function readKeys({ code, message, details }: TeamMemoryError): KeyProblem[] {
  const keys = Array.isArray(details["keys"]) ? details["keys"].slice(0, LIMITS.changesPerProposalMax * 2) : [];
  return keys.flatMap((item: Partial<KeyProblem> | null): KeyProblem[] =>
    typeof item?.key === "string"
      ? [{ key: item.key, code: item.code ?? code, message: withoutKey(item.message ?? message, item.key) }]
      : [],
  );
}

/** @returns whether the team's text of a key is another one than before: what was sent of it is not what will be sent next */
async function pullAgain(
  context: SyncContext,
  options: PushOptions,
  blocked: Blocked,
): Promise<(key: string) => boolean> {
  const before = look(context);
  const report = await pullLocked(context, { ...options, askedAtMs: Date.now() });
  if (report.kind === "pulled") blocked.pulled = joinReports(blocked.pulled, report);
  const after = look(context);
  for (const key of blocked.named) if (!isStillMeant(key, before.marks, after.marks)) blocked.named.delete(key);
  return (key) => after.receivedOf(key) !== before.receivedOf(key);
}

function look(context: SyncContext) {
  const { marks, head } = readState(context.stateFolder, toWhere(context));
  const pristine = readPristine(context.stateFolder, head.packs);
  return { marks, receivedOf: (key: string) => pristine?.get(key)?.canonicalBlob };
}

const NOTHING: Round = { kind: "nothing", proposal: null, keys: [], held: [], problems: [], oddities: [] };

function toReport({ set, listing }: PlannedPush, kind: PushReport["kind"], { outbox }: OpenedState): Round {
  return {
    kind,
    proposal: outbox.open === null ? null : toSent(outbox.open),
    keys: set.changes.map(({ key }) => key),
    held: set.held.map(toShown),
    problems: set.problems.map(toShown),
    oddities: listing?.oddities ?? [],
  };
}

function toSent({ id, acknowledged }: OpenProposal): SentProposal {
  return { id, url: acknowledged?.url ?? "", sentAtMs: acknowledged?.atMs ?? null };
}
