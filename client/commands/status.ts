import { EXIT } from "../../shared/errors/codes.ts";
import type { Command } from "../cli.ts";
import { toAge } from "../hooks/session-state.ts";
import { buildStatus, type FileStatus, WAITING } from "../sync/build-status.ts";
import { type SyncContext, toWhere } from "../sync/context.ts";
import { type PlannedPush, planFromDisk } from "../sync/plan-from-disk.ts";
import { atticFolder } from "../sync/state/attic.ts";
import { readCheckedAtMs } from "../sync/state/freshness.ts";
import { type LastFailure, readLastFailure } from "../sync/state/last-failure.ts";
import { readState } from "../sync/state/state.ts";
import { OBSTACLES } from "./obstacles.ts";
import { openSync } from "./open-sync.ts";

/** Each file's state, and how fresh the copy is. Asks nobody: it tells what is known here. */
export const status: Command = async (options, io) => {
  const context = openSync(options);
  const { stateFolder, teamDir, project, service } = context;
  const state = readState(stateFolder, toWhere(context));
  const planned = await planFromDisk(context, state, { named: new Set(), problems: [], refusals: new Map() });
  const files = buildStatus({ facts: withPristine(planned), open: state.outbox.open, problems: planned.set.problems });
  const checkedAtMs = readCheckedAtMs(stateFolder);
  const failure = toFailure(stateFolder, checkedAtMs);
  const oddities = planned.listing?.oddities ?? [];
  const isWaiting = files.some((file) => WAITING.has(file.state));
  const checkedAt = checkedAtMs === null ? null : new Date(checkedAtMs).toISOString();
  io.result({ project, service: service.url, teamDir, checkedAt, failure, files, oddities }, [
    `${project} at ${service.url}`,
    `Files: ${teamDir}`,
    toFreshness(checkedAtMs, failure),
    ...toLines(files, context),
    ...oddities.map(({ name, why, rule }) => `${"left alone".padEnd(WIDTH)}${name} (${rule ?? why})`),
  ]);
  return isWaiting ? EXIT.attention : EXIT.ok;
};

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

function toFreshness(checkedAtMs: number | null, failure: LastFailure | null): string {
  const age = checkedAtMs === null ? "Never pulled" : `Checked ${toAge(Date.now() - checkedAtMs)} ago`;
  return failure === null ? age : `${age}; the last try failed: ${failure.message} (${failure.code})`;
}

const WIDTH = 18;
/** Beyond this, files that need nothing are counted. */
const LISTED_MAX = 200;

function toLines(files: readonly FileStatus[], context: SyncContext): string[] {
  const quiet = files.filter(({ state }) => state === "in_sync");
  const loud = files.filter(({ state }) => state !== "in_sync");
  const shown = quiet.slice(0, Math.max(0, LISTED_MAX - loud.length));
  const rest = quiet.length - shown.length;
  return [
    ...[...loud, ...shown].map((file) => toLine(file, context)),
    ...(rest === 0 ? [] : [`… and ${rest} more in sync`]),
  ];
}

function toLine({ key, state, url, reason, attic, obstacle }: FileStatus, { stateFolder }: SyncContext): string {
  const about = [
    reason,
    state === "unplaced" && obstacle !== null ? OBSTACLES[obstacle] : null,
    attic === null ? null : `yours is kept: ${atticFolder(stateFolder)}/${attic}`,
    url,
  ].filter((text) => text !== null);
  return `${WORDS[state].padEnd(WIDTH)}${key}${about.length === 0 ? "" : ` (${about.join("; ")})`}`;
}

const WORDS: Readonly<Record<FileStatus["state"], string>> = {
  in_sync: "in sync",
  new: "new",
  changed: "changed",
  proposed: "proposed",
  conflict: "conflict",
  rejected: "rejected",
  removed_by_team: "removed by team",
  unknown: "unknown",
  removal: "to be removed",
  unplaced: "not placed",
  missing: "missing",
  invalid: "not valid",
};
