import { basename } from "node:path";
import type { ProposalOutcome } from "../../shared/protocol/schemas.ts";
import { isYetToCome, toAge } from "../hooks/session-state.ts";
import { toShellWord } from "../shell-word.ts";
import { OBSTACLES } from "../sync/folder/blocked-key.ts";
import { describeOddity } from "../sync/folder/describe-oddity.ts";
import type { Oddity } from "../sync/folder/list-team.ts";
import type { LastFailure } from "../sync/state/last-failure.ts";
import type { FileStatus } from "../sync/status/build-status.ts";
import type { QuarantinedFile } from "../sync/status/fetch-quarantine.ts";

export interface StatusReport {
  readonly project: string;
  readonly service: string;
  readonly teamDir: string;
  /** ISO; null: never pulled. */
  readonly checkedAt: string | null;
  /** How the last try failed, where it came after the last good one. */
  readonly failure: LastFailure | null;
  readonly files: readonly FileStatus[];
  readonly oddities: readonly Oddity[];
  /** How many files of the remote the service handed to nobody when it was last pulled from. */
  readonly quarantined: number;
  /** Which those are now; null: not known, for the service is out of reach. */
  readonly quarantine: readonly QuarantinedFile[] | null;
  /** Files of the local state that could not be read, and where each lies now. */
  readonly damaged: readonly string[];
  /** Null: nothing of this machine is under review. */
  readonly proposal: KnownProposal | null;
}

/** This machine's proposal, as far as the service has said. */
export interface KnownProposal {
  readonly id: string;
  readonly url: string;
  readonly state: ProposalOutcome["state"];
  /** ISO: as of when. */
  readonly knownAt: string;
  /** Why the service could not be asked now: an error's code. Null: it was. */
  readonly failure: string | null;
}

/** A status in lines for people. */
export function toStatusLines(report: StatusReport, nowMs: number): string[] {
  const { project, service, teamDir, files, oddities } = report;
  return [
    `${project} at ${service}`,
    `Files: ${teamDir}`,
    toFreshness(report, nowMs),
    ...report.damaged.map(toDamagedLine),
    ...toProposalLines(report, nowMs),
    ...toFileLines(files, nowMs),
    ...(files.length + oddities.length === 0 ? HOW_TO_BEGIN : []),
    ...oddities.map((oddity) => toRow("left alone", oddity.name, [describeOddity(oddity)])),
    ...toQuarantineLines(report),
  ];
}

function toFreshness({ checkedAt, failure }: StatusReport, nowMs: number): string {
  const age = checkedAt === null ? "Never pulled" : toCheckedWords(Date.parse(checkedAt), nowMs);
  return failure === null ? age : `${age}; the last try failed: ${failure.message} (${failure.code})`;
}

function toCheckedWords(checkedAtMs: number, nowMs: number): string {
  if (isYetToCome(checkedAtMs, nowMs)) return "Checked at an unknown time, for the clock has been set back since";
  return `Checked ${toAge(nowMs - checkedAtMs)} ago`;
}

/** Said until the file is deleted: what was forgotten is found by nobody else. */
function toDamagedLine(path: string): string {
  const name = basename(path).split(".")[0] ?? "";
  const known = DAMAGED[name] ?? "what it knew is not shown; texts that were replaced: team-memory attic list";
  return `Damaged, and set aside: ${path}; ${known}; delete the file when you have looked`;
}

/** What becomes of what a file knew. */
const DAMAGED: Readonly<Record<string, string>> = {
  marks:
    "conflicts are listed again, also where you have decided; refusals, removals and a reviewer's no that it knew of are not",
  outbox: "what is under review is asked for by the next sync, and goes on as the same proposal",
};

/** A team without memories, and nothing of mine. */
const HOW_TO_BEGIN = [
  "No memories yet. Each is a Markdown file in that folder, as feedback_testing.md, and begins with these five lines:",
  ...["---", "name: Real databases in tests", "description: One line by which it is found"].map((line) => `  ${line}`),
  ...["type: feedback", "---"].map((line) => `  ${line}`),
  "The type is feedback, project or reference. Your agent writes them, or you; then: team-memory sync",
];

/** Only where the service could not be asked: what is said of the proposal may be over by now. */
function toProposalLines({ proposal }: StatusReport, nowMs: number): string[] {
  if (proposal === null || proposal.failure === null) return [];
  const age = toAge(nowMs - Date.parse(proposal.knownAt));
  return [`What is proposed is told as of ${age} ago, for the service could not be asked now (${proposal.failure})`];
}

/** Beyond this, files that need nothing are counted. */
const LISTED_MAX = 200;

function toFileLines(files: readonly FileStatus[], nowMs: number): string[] {
  const isQuiet = ({ state, reason }: FileStatus) => state === "in_sync" && reason === null;
  const [quiet, loud] = [files.filter(isQuiet), files.filter((file) => !isQuiet(file))];
  const shown = quiet.slice(0, Math.max(0, LISTED_MAX - loud.length));
  const rest = quiet.length - shown.length;
  return [
    ...[...loud, ...shown].map((file) => toFileLine(file, nowMs)),
    ...(rest === 0 ? [] : [`… and ${rest} more in sync`]),
  ];
}

function toFileLine(file: FileStatus, nowMs: number): string {
  const { key, state, isRemoval, url, sentAtMs, reason, attic, obstacle } = file;
  const word = toShellWord(key);
  return toRow(WORDS[state], key, [
    isRemoval && state !== "removal" ? "its removal for all" : null,
    reason,
    state === "unplaced" && obstacle !== null ? OBSTACLES[obstacle] : null,
    state === "proposed" && sentAtMs !== null ? `sent ${toAge(nowMs - sentAtMs)} ago` : null,
    attic === null ? null : `yours is kept; look at both: team-memory conflicts show ${word}`,
    state === "conflict" && url !== null ? "what you sent before is under review until you decide" : null,
    state === "empty" && reason !== null ? null : toNext(file, word),
    url,
  ]);
}

function toNext({ state, isRemoval }: FileStatus, word: string): string | null {
  if (state !== "rejected" || !isRemoval) return NEXT[state]?.(word) ?? null;
  return `have it back: team-memory restore ${word}; propose it again: team-memory push ${word}`;
}

/** What a person can do next, about a key as one word of a command line. */
const NEXT: Partial<Readonly<Record<FileStatus["state"], (word: string) => string>>> = {
  missing: (word) => `the next pull brings it back; to remove it for all: team-memory rm ${word}`,
  empty: (word) => `nothing is in it, which counts as missing; the team's text again: team-memory restore ${word}`,
  rejected: (word) => `change it to propose it anew, or: team-memory keep-private ${word}`,
  refused: (word) => `change it, or try again: team-memory push ${word}`,
  removed_by_team: (word) =>
    `yours is kept; propose it again: team-memory push ${word}; let it go: team-memory rm ${word}`,
  merged: () => "approved; the next pull takes it",
  approved_meanwhile: (word) => `the next pull brings it back; to remove it for all after that: team-memory rm ${word}`,
  unknown: (word) => `it lay here before the first pull; propose it: team-memory push ${word}`,
};

function toQuarantineLines({ quarantined, quarantine }: StatusReport): string[] {
  if (quarantine !== null)
    return quarantine.map(({ path, rule, reason }) => toRow("in quarantine", path, [rule, reason]));
  return [`${quarantined} of the remote in quarantine; which, the service says when it can be reached`];
}

const WIDTH = 20;

function toRow(word: string, name: string, about: readonly (string | null)[]): string {
  const known = about.filter((text) => text !== null);
  return `${word.padEnd(WIDTH)}${name}${known.length === 0 ? "" : ` (${known.join("; ")})`}`;
}

const WORDS: Readonly<Record<FileStatus["state"], string>> = {
  in_sync: "in sync",
  new: "new",
  changed: "changed",
  proposed: "proposed",
  merged: "merged",
  approved_meanwhile: "approved meanwhile",
  conflict: "conflict",
  rejected: "rejected",
  refused: "refused",
  removed_by_team: "removed by team",
  unknown: "unknown",
  removal: "to be removed",
  unplaced: "not placed",
  missing: "missing",
  empty: "empty",
  invalid: "not valid",
};
