import { EXIT } from "../../shared/errors/codes.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { Command } from "../cli.ts";
import { type SyncContext, toWhere } from "../sync/context.ts";
import type { TeamListing } from "../sync/folder/list-team.ts";
import type { LocalFact } from "../sync/pull/plan-pull.ts";
import { isForbidden } from "../sync/push/outbox-steps.ts";
import { type PlannedPush, planFromDisk } from "../sync/push/plan-from-disk.ts";
import type { PushFacts } from "../sync/push/plan-push.ts";
import { readCheckedAtMs } from "../sync/state/freshness.ts";
import { type LastFailure, readLastFailure } from "../sync/state/last-failure.ts";
import { NO_MARKS, type Obstacle } from "../sync/state/marks.ts";
import { readState } from "../sync/state/state.ts";
import { buildStatus, WAITING } from "../sync/status/build-status.ts";
import { fetchQuarantine, type QuarantinedFile } from "../sync/status/fetch-quarantine.ts";
import { openSync } from "./open-sync.ts";
import { toStatusLines } from "./say-status.ts";

/**
 * Each file's state, and how fresh the copy is: what is known here. The service is asked for one thing alone, which files it
 * keeps in quarantine, and only where the last pull said that there are any.
 */
export const status: Command = async (options, io) => {
  const context = openSync(options);
  const { stateFolder, teamDir, project, service } = context;
  const state = readState(stateFolder, toWhere(context));
  const planned = await planFromDisk(context, state, { named: new Set(), problems: [], refusals: new Map() });
  const files = buildStatus({
    facts: withPristine(planned),
    open: state.outbox.open,
    problems: planned.set.problems,
    isForbidden: isForbidden(context, state.outbox, Date.now()),
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
    quarantined: state.head.quarantined,
    quarantine: await askForQuarantine(context, state.head.quarantined),
  };
  io.result(report, toStatusLines(report, Date.now()));
  return files.some((file) => WAITING.has(file.state)) ? EXIT.attention : EXIT.ok;
};

/** Null: the service is out of reach, and a status says the rest all the same. */
async function askForQuarantine(context: SyncContext, count: number): Promise<readonly QuarantinedFile[] | null> {
  if (count === 0) return [];
  return fetchQuarantine(context, LIMITS.statusTimeoutMs).catch(() => null);
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
  return failure !== null && failure.startedAtMs > (checkedAtMs ?? 0) ? failure : null;
}
