import { EXIT } from "../../shared/errors/codes.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { Command } from "../command.ts";
import { type SyncContext, toWhere } from "../sync/context.ts";
import type { LocalFact } from "../sync/folder/local-fact.ts";
import { withLock } from "../sync/lock/lock.ts";
import { lookAt } from "../sync/push/plan-from-disk.ts";
import { type PushReport, pushLocked } from "../sync/push/push.ts";
import { type Shown, toShown, toShownKey } from "../sync/shown-key.ts";
import { readState } from "../sync/state/state.ts";
import { openSync, toLockOptions, toPullOptions } from "./open-sync.ts";
import { toDecidedLines } from "./say-next.ts";
import { toTakenLines } from "./say-pull.ts";
import { HOLDS, toPushExitCode, toPushLines } from "./say-push.ts";
import { toKey } from "./to-key.ts";

/** Proposes what changed here; a key that is named is sent even where it was held back. What that took in is said, too. */
export const push: Command = async (options, io) => {
  const context = openSync(options);
  const named = new Set(options.positionals.map((said) => toKey(context, said)));
  const { report, decided } = await withLock(context.stateFolder, toLockOptions(io), async () => {
    const waiting = [...named].filter((key) => isWaiting(context, key));
    const pushed = await pushLocked(context, { ...toPullOptions(io), named });
    return { report: pushed, decided: waiting.filter((key) => !isWaiting(context, key)) };
  });
  const idle = toIdle(context, named, report);
  const isAll = idle.length > 0 && report.kind === "nothing" && report.held.length + report.problems.length === 0;
  const isUnasked = report.kind === "still_forbidden";
  io.result({ push: { ...report, idle, decided } }, [
    ...(isAll || isUnasked ? toTakenLines(report.pulled) : toPushLines(report, Date.now())),
    ...(isUnasked ? [STILL_FORBIDDEN] : []),
    ...idle.map(({ key, because }) => `${IDLE[because]}: ${key}`),
    ...decided.flatMap((key) => toDecidedLines(true, key)),
  ]);
  return toPushExitCode(report) || (idle.some(({ because }) => because === "conflict") ? EXIT.attention : EXIT.ok);
};

/** A conflict about it waits to be decided; sending what was written since decides it. */
function isWaiting(context: SyncContext, key: MemoryKey): boolean {
  return readState(context.stateFolder, toWhere(context)).marks.get(key)?.conflict !== undefined;
}

const STILL_FORBIDDEN =
  "Your role does not let you propose to this project, the service said less than a day ago; push KEY asks it again";

/** What was named, and has nothing to send. */
type Idle = Shown<{ readonly key: string; readonly because: keyof typeof IDLE }>;

const IDLE = {
  conflict: `Not sent, ${HOLDS.conflict}`,
  blocked: "Not sent, no plain file that can be read lies there",
  empty: "Nothing to propose, nothing is in the file",
  missing: "Nothing to propose, the file is not here; pull brings it back, team-memory rm removes it for all",
  in_sync: "Nothing to propose, it is as the team has it",
} as const;

function toReason(local: LocalFact): Idle["because"] {
  if (local.kind === "file") return "in_sync";
  if (local.kind === "blocked") return "blocked";
  return local.isVoid === true ? "empty" : "missing";
}

function toIdle(context: SyncContext, named: ReadonlySet<MemoryKey>, report: PushReport): readonly Idle[] {
  if (report.kind === "forbidden" || named.size === 0) return [];
  const { marks } = readState(context.stateFolder, toWhere(context));
  const waiting = new Set<string>([...report.held, ...report.problems].map(({ key }) => key));
  const proposed = new Set<string>(report.keys);
  return [...named].flatMap((key): Idle[] => {
    const said = (because: Idle["because"]) => [toShown({ key, because })];
    if (waiting.has(toShownKey(key))) return [];
    if (marks.get(key)?.conflict !== undefined) return said("conflict");
    if (proposed.has(key)) return [];
    return said(toReason(lookAt(context.teamDir, key)));
  });
}
