import { existsSync } from "node:fs";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { type SyncContext, toWhere, waitingFor } from "../context.ts";
import { lookAgain } from "../folder/folder-sight.ts";
import { LOCK_CLEARED, withLock } from "../lock/lock.ts";
import { isAnswered, readCheckedAtMs, writeCheckedAtMs } from "../state/freshness.ts";
import { type Head, readHead, writeHead } from "../state/head.ts";
import { noteFailure, readLastFailure, toError } from "../state/last-failure.ts";
import { statePath } from "../state/layout.ts";
import { assertSamePlace } from "../state/state.ts";
import { fetchMemories } from "./fetch-memories.ts";
import type { PullOptions } from "./pull-options.ts";
import { NOTHING_NEW, type PullReport } from "./report.ts";

/**
 * The pull, up to the point at which something is new: one conditional request, and a look at the folder's times. Nothing
 * else is loaded or read for that; it stands before every session's start.
 *
 * @throws TeamMemoryError, PathTraversalError; the last good copy is in place then
 */
export async function pull(context: SyncContext, options: PullOptions): Promise<PullReport> {
  const { progress, lockWaitMs: waitMs } = options;
  const cleared: string[] = [];
  const onWait = () => progress?.("Waiting for another team-memory run");
  const onReplaced = () => cleared.push(LOCK_CLEARED);
  const report = await withLock(context.stateFolder, { waitMs, onWait, onReplaced }, () =>
    pullLocked(context, options),
  );
  return cleared.length === 0 ? report : { ...report, notes: [...cleared, ...report.notes] };
}

/** The same for who holds the lock already. */
export async function pullLocked(context: SyncContext, options: PullOptions): Promise<PullReport> {
  const { stateFolder } = context;
  if (existsSync(statePath(stateFolder, "journal"))) await finishKilled(context);
  const head = readHead(stateFolder);
  if (head !== null) assertSamePlace(head, toWhere(context));
  const startedAtMs = Date.now();
  const isSettled = head !== null && !head.isUnsettled && options.acceptRemovals !== true;
  const isDone = (atMs: number | null) => isAnswered(atMs, options.askedAtMs, startedAtMs);
  if (isSettled && isDone(readCheckedAtMs(stateFolder))) return { ...NOTHING_NEW, kind: "shared" };
  const failure = readLastFailure(stateFolder);
  if (failure !== null && isDone(failure.startedAtMs)) throw toError(failure);
  options.progress?.(waitingFor(context));
  try {
    const answer = await fetchMemories(context, head, options);
    const isQuiet = answer.status === 304 && isSettled && isAsLeft(context, head);
    const report = isQuiet ? NOTHING_NEW : await takeIn(context, options, answer);
    writeCheckedAtMs(stateFolder, startedAtMs);
    return report;
  } catch (error) {
    if (isTeamMemoryError(error)) noteFailure(stateFolder, error, startedAtMs);
    throw error;
  }
}

function isAsLeft({ stateFolder, teamDir }: SyncContext, head: Head): boolean {
  const seen = lookAgain(teamDir, head.sight);
  if (seen !== null && seen !== head.sight) writeHead(stateFolder, { ...head, sight: seen });
  return seen !== null;
}

async function takeIn(...args: Parameters<typeof import("./take-in.ts").takeIn>): Promise<PullReport> {
  return (await import("./take-in.ts")).takeIn(...args);
}

async function finishKilled(context: SyncContext): Promise<void> {
  const [{ recover }, { openAttic }] = await Promise.all([import("./recover.ts"), import("../state/attic.ts")]);
  recover(context, openAttic(context.stateFolder, new Date()));
}
