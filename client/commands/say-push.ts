import { ERROR_CODES, type ErrorCode, EXIT } from "../../shared/errors/codes.ts";
import { toAge } from "../hooks/session-state.ts";
import { toShellWord } from "../shell-word.ts";
import { toOddityLine } from "../sync/folder/describe-oddity.ts";
import type { PullReport } from "../sync/pull/report.ts";
import type { PushReport } from "../sync/push/push.ts";
import type { HeldKey } from "../sync/push/push-set.ts";
import { toTakenLines } from "./say-pull.ts";

/** A push in lines for people, with what it took in on its way. */
export function toPushLines(report: PushReport, nowMs: number): string[] {
  const { problems, oddities, pulled, merged } = report;
  const { held } = withoutSaid(report, pulled);
  const taken = toTakenLines(pulled);
  const waiting = [
    ...problems.map(({ key, code, message }) => `Not proposed, ${message} (${code}): ${key}`),
    ...held.map(({ key, because }) => `Not sent, ${HOLDS[because]}: ${key}`),
  ];
  const isQuiet = report.kind === "nothing" && waiting.length + taken.length + merged.length === 0;
  const lines = [
    ...taken,
    ...toMergedLines(merged),
    ...(isQuiet ? ["Nothing to propose"] : toHeadline(report, nowMs)),
    ...waiting,
    ...toRemedyLines(problems),
    ...oddities.map(toOddityLine),
  ];
  return [...new Set(lines)];
}

/** What a pull has said of a memory already is said once. */
export function withoutSaid(push: PushReport, { changes, unplaced, outcomes }: PullReport): PushReport {
  const waiting = changes.filter(({ what }) => what === "conflict" || what === "removed_by_team");
  const said = new Set<string>([...waiting, ...unplaced].map(({ key }) => key));
  for (const { rejected } of outcomes) for (const key of rejected) said.add(key);
  return { ...push, held: push.held.filter(({ key }) => !said.has(key)) };
}

/** What helps with each kind of problem, once. */
function toRemedyLines(problems: PushReport["problems"]): string[] {
  const first = new Map(problems.toReversed().map(({ key, code }) => [code, key]));
  return [...first].toReversed().map(([code, key]) => `${code}: ${toRemedy(code, toShellWord(key))}`);
}

function toRemedy(code: ErrorCode, word: string): string {
  if (code === "private_memory") return `Memories of type user stay private: team-memory keep-private ${word}`;
  return ERROR_CODES[code].remedy;
}

function toMergedLines(merged: readonly string[]): string[] {
  return merged.length === 0 ? [] : [`${merged.length} merged, the team has it now: ${merged.join(", ")}`];
}

/** 5 where a text waits for the person, 4 where the service will not have any. */
export function toPushExitCode({ kind, held, problems }: PushReport): number {
  if (kind === "forbidden") return EXIT.denied;
  return held.length + problems.length > 0 ? EXIT.attention : EXIT.ok;
}

function toHeadline({ kind, keys, proposal }: PushReport, nowMs: number): string[] {
  const names = keys.join(", ");
  switch (kind) {
    case "sent":
      return [`${keys.length} proposed: ${names} (${proposal?.url ?? ""})`];
    case "unchanged":
      return [
        `Nothing new to send; sent ${toSentAge(proposal, nowMs)}: ${names} (${proposal?.url ?? ""})`,
        HOW_IT_STANDS,
      ];
    case "withdrawn":
      return ["The proposal is withdrawn: nothing here differs from what the team has"];
    case "forbidden":
      return ["Your role does not let you propose to this project: ask an admin. Your texts stay here"];
    case "still_forbidden":
    case "nothing":
      return [];
  }
}

function toSentAge(proposal: PushReport["proposal"], nowMs: number): string {
  const sentAtMs = proposal?.sentAtMs ?? null;
  return sentAtMs === null ? "before" : `${toAge(nowMs - sentAtMs)} ago`;
}

/** The service was not asked what has become of it since. */
const HOW_IT_STANDS = "How that stands now: team-memory status";

export const HOLDS: Readonly<Record<HeldKey["because"], string>> = {
  conflict:
    "the team changed it, too; edit it and push it by name, or look at both and decide with team-memory conflicts",
  rejected: "a reviewer said no to it, and team-memory status says what to do",
  refused: "the service would not take this text; change it, or push it by name",
  removed_by_team: "the team removed it; change it, or push it by name",
  unknown: "it lay here before the first pull; push it by name",
  unplaced: "the team's text of it is not in place",
  no_room: "the proposal is full; it goes with the next",
};
