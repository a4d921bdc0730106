import { EXIT } from "../../shared/errors/codes.ts";
import type { PushReport } from "../sync/push.ts";
import type { HeldKey } from "../sync/push-set.ts";
import { toShownKey } from "../sync/shown-key.ts";

/** A push without what is not to be said: secrets that stand in names. */
export function toSaidPush(report: PushReport): PushReport {
  return { ...report, problems: report.problems.map((problem) => ({ ...problem, key: toShownKey(problem) })) };
}

/** A said push in lines for people. */
export function toPushLines(report: PushReport): string[] {
  return [
    ...toHeadline(report),
    ...report.problems.map(({ key, code, message }) => `Not proposed, ${message} (${code}): ${key}`),
    ...report.held.map(({ key, because }) => `Not sent, ${HOLDS[because]}: ${key}`),
  ];
}

/** 5 where a text waits for the person, 4 where the service will not have any. */
export function toPushExitCode({ kind, held, problems }: PushReport): number {
  if (kind === "forbidden") return EXIT.denied;
  return held.length + problems.length > 0 ? EXIT.attention : EXIT.ok;
}

function toHeadline({ kind, keys, proposal }: PushReport): string[] {
  const named = `${keys.length} proposed: ${keys.join(", ")}`;
  switch (kind) {
    case "sent":
      return [`${named} (${proposal?.url ?? ""})`];
    case "unchanged":
      return [`${named}, and under review since before (${proposal?.url ?? ""})`];
    case "withdrawn":
      return ["The proposal is withdrawn: nothing here differs from what the team has"];
    case "forbidden":
      return ["Your role does not let you propose to this project: ask an admin. Your texts stay here"];
    case "still_forbidden":
    case "nothing":
      return [];
  }
}

const HOLDS: Readonly<Record<HeldKey["because"], string>> = {
  conflict: "the team changed it, too; look at both and decide with team-memory conflicts",
  rejected: "a reviewer said no to this text; change it, or push it by name",
  refused: "the service would not take this text; change it, or push it by name",
  removed_by_team: "the team removed it; change it, or push it by name",
  unknown: "it lay here before the first pull; push it by name",
  unplaced: "the team's text of it is not in place",
  no_room: "the proposal is full; it goes with the next",
};
