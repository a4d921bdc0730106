import { EXIT } from "../../shared/errors/codes.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Command } from "../cli.ts";
import { buildStatus, WAITING } from "../sync/build-status.ts";
import { type SyncContext, toWhere } from "../sync/context.ts";
import { fetchQuarantine, type QuarantinedFile } from "../sync/fetch-quarantine.ts";
import { type PlannedPush, planFromDisk } from "../sync/plan-from-disk.ts";
import { readCheckedAtMs } from "../sync/state/freshness.ts";
import { type LastFailure, readLastFailure } from "../sync/state/last-failure.ts";
import { readState } from "../sync/state/state.ts";
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
  const files = buildStatus({ facts: withPristine(planned), open: state.outbox.open, problems: planned.set.problems });
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
  io.result(report, toStatusLines(report, stateFolder, Date.now()));
  return files.some((file) => WAITING.has(file.state)) ? EXIT.attention : EXIT.ok;
};

/** Null: the service is out of reach, and a status says the rest all the same. */
async function askForQuarantine(context: SyncContext, count: number): Promise<readonly QuarantinedFile[] | null> {
  if (count === 0) return [];
  return fetchQuarantine(context, LIMITS.statusTimeoutMs).catch(() => null);
}

/** Files that are as the team has them need no plan, and have a line all the same. */
function withPristine({ facts, pristine }: PlannedPush) {
  const known = new Set<string>(facts.map(({ key }) => key));
  const missing = [...pristine.values()].filter(({ key }) => !known.has(key));
  return [...facts, ...missing.map(({ key, canonicalBlob }) => toMissing(key, canonicalBlob))];
}

function toMissing(key: string, base: string) {
  // Pristine keys passed the rules when they were received.
  return { key: key as never, base, local: { kind: "absent" } as const, isSent: false, marks: {}, isNamed: false };
}

function toFailure(stateFolder: string, checkedAtMs: number | null): LastFailure | null {
  const failure = readLastFailure(stateFolder);
  return failure !== null && failure.startedAtMs > (checkedAtMs ?? 0) ? failure : null;
}
