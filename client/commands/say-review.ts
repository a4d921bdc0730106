import type { Proposal, ProposalDetail } from "../../shared/protocol/schemas.ts";
import { diffLines } from "./diff-lines.ts";

/** Proposals in lines for a reviewer. */
export function toProposalLine({ id, state, by, changes, url, reason, title }: Proposal): string {
  const kinds = changes.map(
    ({ key, kind, state: keyState }) => `${kind} ${key}${keyState === "proposed" ? "" : ` [${keyState}]`}`,
  );
  const about = [title, reason === null ? "" : `reason: ${reason}`].filter((text) => text !== "");
  return `${id}  ${state}  by ${by}  ${kinds.join(", ")}${about.map((text) => `  ${text}`).join("")}  ${url}`;
}

export function toDetailLines(proposal: ProposalDetail): string[] {
  return [
    toProposalLine(proposal),
    ...toNext(proposal),
    ...proposal.conflicts.map((key) => `conflict: the base has changed ${key} since`),
    ...proposal.checks.map(({ key, check, message }) => `${check}: ${message}: ${key}`),
    ...proposal.diff.flatMap(({ key, before, after }) => ["", `=== ${key}`, ...diffLines(before ?? "", after ?? "")]),
  ];
}

function toNext({ id, state, head }: ProposalDetail): string[] {
  if (state !== "open" || head === null)
    return [`It is ${state}: nothing is left to decide, and its texts are not kept`];
  return [
    `Approve just this: team-memory review approve ${id} --head ${head}`,
    `Close it: team-memory review close ${id} --reason TEXT`,
  ];
}

/** @param before as it was when its decision was asked for */
export function toApprovedLines(before: Proposal, after: Proposal): string[] {
  return [
    toProposalLine(after),
    ...(isSame(before, after) ? [`It was ${after.state} before: nothing has changed`] : []),
  ];
}

export function toClosedLines(before: Proposal, after: Proposal, reason: string): string[] {
  if (!isReasonKept(after, reason)) {
    return [toProposalLine(after), `It was ${after.state} before: nothing has changed, and your reason is not kept`];
  }
  return toApprovedLines(before, after);
}

/** The author reads one reason: of who closed it first. */
export function isReasonKept(after: Proposal, reason: string): boolean {
  return after.reason === reason;
}

function isSame(before: Proposal, after: Proposal): boolean {
  const standing = ({ state, reason, changes }: Proposal) =>
    JSON.stringify([state, reason, changes.map((change) => [change.key, change.state])]);
  return standing(before) === standing(after);
}
