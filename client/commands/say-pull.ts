import { EXIT } from "../../shared/errors/codes.ts";
import { toShellWord } from "../shell-word.ts";
import { OBSTACLES } from "../sync/folder/blocked-key.ts";
import type { PullReport, ReportedChange, ReportedOutcome } from "../sync/pull/report.ts";

/** A pull in lines for people: a count of what is plain, a line each for what is not. */
export function toPullLines(report: PullReport): string[] {
  const lines = toTakenLines(report);
  return lines.length === 0 ? ["Nothing new"] : lines;
}

/** The same; none where there is nothing new. */
export function toTakenLines(report: PullReport): string[] {
  const { changes, outcomes, unplaced, notes } = report;
  const held = unplaced.filter(({ because }) => because === "removal_held");
  return [
    ...PLAIN.flatMap(([what, words]) => toCount(changes, what, words)),
    ...changes.flatMap(({ key, what }) => TOLD[what]?.(key, toShellWord(key)) ?? []),
    ...outcomes.flatMap(toOutcomeLines),
    ...unplaced
      .filter(({ because }) => because !== "removal_held")
      .map(({ key, because }) => `Not placed, ${OBSTACLES[because]}: ${key}`),
    ...(held.length === 0 ? [] : [`${held.length} not removed, ${OBSTACLES.removal_held}`]),
    ...notes,
  ];
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
  ["removed", "removed, copies are kept in the attic"],
];

/** About a key, and about the same as one word of a command line. */
const TOLD: Partial<Record<ReportedChange["what"], (key: string, word: string) => string>> = {
  merged: (key, word) =>
    `${key}: you and the team both changed it, and the two are merged; look at it: team-memory diff ${word}`,
  merged_rejected: (key, word) =>
    `${key}: the team changed it, and your text, which a reviewer said no to, is merged with that; look at it: team-memory diff ${word}`,
  conflict: (key, word) =>
    `${key}: you and the team both changed it, in ways that do not merge; the team's text is in place, yours is kept; look at both: team-memory conflicts show ${word}`,
  removed_by_team: (key, word) =>
    `${key}: the team removed it, and yours is kept; propose it again: team-memory push ${word}; let it go: team-memory rm ${word}`,
  removal_dropped: (key, word) =>
    `${key}: the team changed what you wanted removed, so it is back; to remove it all the same: team-memory rm ${word}`,
  approved_meanwhile: (key, word) =>
    `${key}: you took it away here, but the team has it now, so it is back; to remove it for all: team-memory rm ${word}`,
};

function toCount(changes: readonly ReportedChange[], what: ReportedChange["what"], words: string): string[] {
  const keys = changes.filter((change) => change.what === what).map(({ key }) => key);
  if (keys.length === 0) return [];
  const named = keys.length <= NAMED_MAX ? `: ${keys.join(", ")}` : "";
  return [`${keys.length} ${words}${named}`];
}

const NAMED_MAX = 5;

/** The reviewer's word, and where to see what to do about it. */
function toOutcomeLines({ id, state, reason, rejected, removals, standing, url }: ReportedOutcome): string[] {
  const said = `${reason === null ? "" : `: ${reason}`} (${url})`;
  if (rejected.length === 0) return [`Your proposal ${id} was ${state}${said}`];
  const toName = (key: string) => (removals.includes(key) ? `removing ${key}` : key);
  const names = rejected.map(toName).join(", ");
  const again = standing.length === rejected.length ? "" : `: ${standing.map(toName).join(", ")}`;
  return [
    state === "merged"
      ? `Your proposal ${id} was merged, without ${names}${said}`
      : `A reviewer said no to ${names}${said}`,
    ...(standing.length === 0 ? [] : [`Not sent again by itself${again}; what you can do: team-memory status`]),
  ];
}
