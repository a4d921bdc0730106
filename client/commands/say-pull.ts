import { EXIT } from "../../shared/errors/codes.ts";
import { OBSTACLES } from "../sync/folder/blocked-key.ts";
import type { PullReport, ReportedChange, ReportedOutcome } from "../sync/pull/report.ts";

/** A pull in lines for people: a count of what is plain, a line each for what is not. */
export function toPullLines(report: PullReport): string[] {
  const plain = PLAIN.flatMap(([what, words]) => toCount(report.changes, what, words));
  const told = report.changes.flatMap(({ key, what }) => (TOLD[what] === undefined ? [] : [`${TOLD[what]}: ${key}`]));
  const lines = [
    ...plain,
    ...told,
    ...report.outcomes.flatMap(toOutcomeLines),
    ...report.unplaced.map(({ key, because }) => `Not placed, ${OBSTACLES[because]}: ${key}`),
    ...report.notes,
  ];
  return lines.length === 0 ? ["Nothing new"] : lines;
}

/** 5 where something waits for the person. */
export function toExitCode({ changes, unplaced, outcomes }: PullReport): number {
  const isWaiting =
    unplaced.length > 0 ||
    changes.some(({ what }) => what === "conflict" || what === "removed_by_team") ||
    outcomes.some(({ state, rejected }) => state === "closed" || rejected.length > 0);
  return isWaiting ? EXIT.attention : EXIT.ok;
}

const PLAIN: readonly (readonly [ReportedChange["what"], string])[] = [
  ["new", "new"],
  ["changed", "changed"],
  ["removed", "removed, the texts are in the attic"],
];

const TOLD: Partial<Record<ReportedChange["what"], string>> = {
  merged: "The team changed it and so did you; both are in it now, and yours goes on to be proposed",
  conflict: "The team changed what you changed; its text is in place, yours waits in: team-memory conflicts",
  removed_by_team: "The team removed what you changed; your text is kept",
  removal_dropped: "The team changed what you wanted removed; it is back, look at it again",
};

function toCount(changes: readonly ReportedChange[], what: ReportedChange["what"], words: string): string[] {
  const keys = changes.filter((change) => change.what === what).map(({ key }) => key);
  if (keys.length === 0) return [];
  const named = keys.length <= NAMED_MAX ? `: ${keys.join(", ")}` : "";
  return [`${keys.length} ${words}${named}`];
}

const NAMED_MAX = 5;

/** The reviewer's word, and what to do about it. */
function toOutcomeLines({ id, state, reason, rejected, url }: ReportedOutcome): string[] {
  const said = reason === null ? "" : `: ${reason}`;
  if (rejected.length === 0) return [`Your proposal ${id} was ${state}${said} (${url})`];
  const names = rejected.join(", ");
  return [
    state === "merged"
      ? `Your proposal ${id} was merged, without ${names}${said} (${url})`
      : `A reviewer said no to ${names}${said} (${url})`,
    "It stays here as it is, and is not sent again; what to do about it: team-memory status",
  ];
}
