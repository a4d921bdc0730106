import { EXIT } from "../../shared/errors/codes.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { ProposalOutcome } from "../../shared/protocol/schemas.ts";
import type { Command } from "../command.ts";
import { isYetToCome } from "../hooks/session-state.ts";
import { type SyncContext, toWhere } from "../sync/context.ts";
import type { TeamListing } from "../sync/folder/list-team.ts";
import type { LocalFact } from "../sync/folder/local-fact.ts";
import { decide } from "../sync/pull/outcomes.ts";
import type { ProposedFact } from "../sync/pull/plan-pull.ts";
import { isForbidden } from "../sync/push/outbox-steps.ts";
import { type PlannedPush, planFromDisk } from "../sync/push/plan-from-disk.ts";
import type { PushFacts } from "../sync/push/plan-push.ts";
import { listDamaged } from "../sync/state/durable-file.ts";
import { readCheckedAtMs } from "../sync/state/freshness.ts";
import { type LastFailure, readLastFailure } from "../sync/state/last-failure.ts";
import { NO_MARKS, type Obstacle } from "../sync/state/marks.ts";
import { readState } from "../sync/state/state.ts";
import { askOutcome, type Heard } from "../sync/status/ask-outcome.ts";
import { buildStatus, WAITING } from "../sync/status/build-status.ts";
import { fetchQuarantine, type QuarantinedFile } from "../sync/status/fetch-quarantine.ts";
import { openSync } from "./open-sync.ts";
import { type KnownProposal, toStatusLines } from "./say-status.ts";

/**
 * Each file's state, and how fresh the copy is: what is known here, and nothing is changed. The service is asked for two
 * things alone, each briefly: how an open proposal stands, and which files it keeps in quarantine, where the last pull said
 * that there are any.
 */
export const status: Command = async (options, io) => {
  const context = openSync(options);
  const { stateFolder, teamDir, project, service } = context;
  const before = readState(stateFolder, toWhere(context));
  const { quarantined } = before.head;
  const [quarantine, heard] = await Promise.all([
    askForQuarantine(context, quarantined),
    askOutcome(context, before.outbox.open),
  ]);
  // What a pull would learn of the proposal counts already; the next one says it.
  const { marks, outbox, proposed } = decide(before, toOutcomes(heard));
  const state = { ...before, marks, outbox };
  const planned = await planFromDisk(context, state, { named: new Set(), problems: [], refusals: new Map() });
  const files = buildStatus({
    facts: withPristine(planned),
    open: outbox.open,
    merged: toMerged(proposed),
    problems: planned.set.problems,
    faceless: findFaceless(planned),
    isForbidden: isForbidden(context, outbox, Date.now()),
  });
  const checkedAtMs = readCheckedAtMs(stateFolder);
  const report = {
    project,
    service: service.url,
    teamDir,
    checkedAt: checkedAtMs === null ? null : new Date(checkedAtMs).toISOString(),
    failure: toFailure(stateFolder, checkedAtMs),
    files,
    oddities: planned.listing?.oddities ?? [],
    quarantined,
    quarantine,
    damaged: listDamaged(stateFolder),
    proposal:
      heard === null ? null : toKnown(heard, Math.max(checkedAtMs ?? 0, before.outbox.open?.acknowledged?.atMs ?? 0)),
  };
  io.result(report, toStatusLines(report, Date.now()));
  return files.some((file) => WAITING.has(file.state)) ? EXIT.attention : EXIT.ok;
};

/** Null: the service is out of reach, and a status says the rest all the same. */
async function askForQuarantine(context: SyncContext, count: number): Promise<readonly QuarantinedFile[] | null> {
  if (count === 0) return [];
  return fetchQuarantine(context, LIMITS.statusTimeoutMs).catch(() => null);
}

function findFaceless({ pristine }: PlannedPush): ReadonlySet<string> {
  const found = [...pristine.values()].filter(({ type, description }) => type === null || description === "");
  return new Set(found.map(({ key }) => key));
}

function toOutcomes(heard: Heard | null): ReadonlyMap<string, ProposalOutcome> {
  return new Map(heard === null || heard.outcome === null ? [] : [[heard.id, heard.outcome]]);
}

function toMerged(proposed: ReadonlyMap<string, ProposedFact>): ReadonlyMap<string, string | null> {
  return new Map([...proposed].flatMap(([key, { blob, isMerged }]) => (isMerged ? [[key, blob] as const] : [])));
}

/** @param lastMs when the service last said something of it, before this status */
function toKnown({ id, url, outcome, failure }: Heard, lastMs: number): KnownProposal {
  const knownAt = new Date(outcome === null ? lastMs : Date.now()).toISOString();
  return { id, url, state: outcome?.state ?? "open", knownAt, failure };
}

/** What the team has and no file here holds needs no plan, and has a line all the same. */
function withPristine({ facts, pristine, listing }: PlannedPush): PushFacts[] {
  const known = new Set<string>(facts.map(({ key }) => key));
  const others = [...pristine.values()].filter(({ key }) => !known.has(key));
  return [...facts, ...others.map(({ key, canonicalBlob }) => toUnseen(key as MemoryKey, canonicalBlob, listing))];
}

/** Pristine keys passed the rules when they were received. */
function toUnseen(key: MemoryKey, base: string, listing: TeamListing | null): PushFacts {
  const because = listing === null ? null : findObstacle(key, listing);
  const local: LocalFact = because === null ? { kind: "absent" } : { kind: "blocked", because };
  return { key, base, local, isSent: false, marks: NO_MARKS, isNamed: false };
}

/** What lies at a key, or on the way to it, and is neither a file nor a folder to go through. */
function findObstacle(key: MemoryKey, { unreadable, oddities, folders }: TeamListing): Obstacle | null {
  const isAbove = (name: string) => name === "" || key === name || key.startsWith(`${name}/`);
  if (unreadable.some(isAbove)) return "unreadable";
  return oddities.some(({ name }) => isAbove(name)) || folders.some(({ path }) => path === key) ? "not_a_file" : null;
}

function toFailure(stateFolder: string, checkedAtMs: number | null): LastFailure | null {
  const failure = readLastFailure(stateFolder);
  const nowMs = Date.now();
  if (failure === null || isYetToCome(failure.startedAtMs, nowMs)) return null;
  // A check whose time is yet to come may be of before or after: what has failed is said.
  const isSince = failure.startedAtMs > (checkedAtMs ?? 0) || isYetToCome(checkedAtMs ?? 0, nowMs);
  return isSince ? failure : null;
}
