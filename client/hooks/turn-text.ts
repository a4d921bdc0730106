import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { escapeForTerminal } from "../escape-for-terminal.ts";
import type { PullReport, ReportedChange } from "../sync/pull/report.ts";
import type { PushReport } from "../sync/push/push.ts";
import { cutLine } from "./session-news.ts";

/** What the user is told at the end of a turn, in one line, or null for nothing: pure. */

export function toProposedLine(report: PushReport): string | null {
  const { kind, keys, proposal, problems, held, pulled, merged } = report;
  const waiting = held.length + problems.length;
  const [problem] = problems;
  const ended = pulled.outcomes.filter(({ state }) => state !== "open");
  const parts = [
    ...ended.map(({ state, url }) => `your proposal was ${state} (${url})`),
    ...toTakenParts(pulled),
    ...(merged.length > 0 ? [`merged, the team has it now: ${toList(merged)}`] : []),
    ...(kind === "sent" ? [`proposed to the team (${proposal?.url ?? ""}): ${toList(keys)}`] : []),
    ...(kind === "withdrawn" ? ["the proposal is withdrawn, for nothing here differs from what the team has"] : []),
    ...(kind === "forbidden" ? ["your role does not let you propose to this project; your texts stay here"] : []),
    ...(problem === undefined ? [] : [`not proposed: ${problem.key}: ${problem.message} (${problem.code})`]),
    ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? "waits" : "wait"} for you: team-memory status`]),
  ];
  return toLine(parts);
}

/** What the proposing took in on its way: files of the user's that are others now. */
function toTakenParts({ changes }: PullReport): string[] {
  return TAKEN.flatMap(([words, ...kinds]) => {
    const keys = changes.filter(({ what }) => kinds.includes(what)).map(({ key }) => key);
    return keys.length === 0 ? [] : [`${words}: ${toList(keys)}`];
  });
}

const TAKEN: readonly (readonly [string, ...ReportedChange["what"][]])[] = [
  ["removed by the team", "removed"],
  ["changed by the team", "changed"],
  ["new from the team", "new"],
  ["merged with what the team changed", "merged", "merged_rejected"],
  ["the team's text is in place, yours is kept", "conflict"],
  ["back here", "removal_dropped", "approved_meanwhile"],
];

export function toWaitingLine(keys: readonly string[]): string | null {
  if (keys.length === 0) return null;
  const wait = keys.length === 1 ? "waits" : "wait";
  return toLine([
    `${toList(keys)} ${wait} to be proposed; to send ${keys.length === 1 ? "it" : "them"}: team-memory push`,
  ]);
}

export function toFailedLine({ message, code }: TeamMemoryError): string | null {
  return toLine([`nothing could be proposed, the next turn tries again: ${message} (${code})`]);
}

/** Others have written some of it, and it goes to a terminal. */
function toLine(parts: readonly string[]): string | null {
  if (parts.length === 0) return null;
  return cutLine(escapeForTerminal(`Team memory: ${parts.join("; ")}`), LIMITS.turnLineLengthMax);
}

function toList(keys: readonly string[]): string {
  const named = keys.slice(0, NAMED_MAX).join(", ");
  return keys.length > NAMED_MAX ? `${named} and ${keys.length - NAMED_MAX} more` : named;
}

const NAMED_MAX = 3;
