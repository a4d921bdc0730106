/**
 * What the service writes below its commits' messages, so that git alone says what a branch or a merge is. One commit of a
 * proposal's branch and the commit that merges it carry the same words; the reviewer tells them apart.
 */
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { type ProjectName, parseProjectName } from "../../../shared/project/parse-project-name.ts";
import { proposalId } from "../../../shared/protocol/schemas.ts";
import type { GitId } from "../../git/port.ts";
import type { Sent, SentSet } from "./sent.ts";

export interface Trailers {
  readonly proposal: string;
  readonly project: ProjectName;
  /** Id of the person who proposes. */
  readonly person: string;
  readonly seq: number;
  /** Hash over the set that the client sent; null on a merge. */
  readonly content: string | null;
  /** True: its person gave it the title that the subject is; else that was made of its changes. */
  readonly isTitled: boolean;
  /** Keys whose text on the branch is a person's and not the one that the client sent. */
  readonly sent: SentSet;
  /** Id of the person who approved; null on a branch. */
  readonly reviewer: string | null;
  /** The head that was approved. */
  readonly head: GitId | null;
  /** True: only some keys were approved, the proposal lives on. */
  readonly part: boolean;
}

const PREFIX = "Team-Memory-";

export function formatMessage(subject: string, trailers: Trailers): string {
  const { proposal, project, person, seq, content, isTitled, sent, reviewer, head, part } = trailers;
  const lines = [
    ["Proposal", proposal],
    ["Project", project],
    ["Person", person],
    ["Seq", String(seq)],
    ...(content === null ? [] : [["Content", content]]),
    ...(isTitled ? [["Title", "given"]] : []),
    ...[...sent].map(([key, value]) => ["Sent", `${formatSent(value)} ${key}`]),
    ...(reviewer === null ? [] : [["Reviewer", reviewer]]),
    ...(head === null ? [] : [["Head", head]]),
    ...(part ? [["Part", "yes"]] : []),
  ];
  return `${subject}\n\n${lines.map(([name, value]) => `${PREFIX}${name}: ${value}`).join("\n")}\n`;
}

function formatSent(sent: Sent): string {
  return sent === "nothing" ? "nothing" : (sent.blob ?? "removed");
}

/**
 * Null where the message has none of ours. Only a paragraph made of trailers counts, the last one that names a proposal:
 * a quoted or indented message is not a statement of its own.
 */
export function parseTrailers(message: string): Trailers | null {
  const lines = findTrailerLines(message);
  const one = (name: string) => lines.findLast((line) => line.name === name)?.value ?? null;
  const proposal = one("Proposal");
  const project = toProject(one("Project"));
  const person = one("Person");
  const seq = Number(one("Seq"));
  if (!proposalId.safeParse(proposal).success || proposal === null || project === null) return null;
  if (person === null || !Number.isSafeInteger(seq) || seq < 1) return null;
  const sent = lines.filter(({ name }) => name === "Sent").flatMap(({ value }) => parseSent(value));
  const head = toId(one("Head"));
  const isTitled = one("Title") === "given";
  const rest = { content: one("Content"), reviewer: one("Reviewer"), head, part: one("Part") === "yes" };
  return { proposal, project, person, seq, isTitled, sent: new Map(sent), ...rest };
}

interface TrailerLine {
  readonly name: string;
  readonly value: string;
}

function findTrailerLines(message: string): TrailerLine[] {
  const paragraphs = message.split(/\n(?:[ \t]*\n)+/u).map((paragraph) => paragraph.trimEnd().split("\n"));
  const ours = paragraphs.findLast(
    (lines) => lines.every((line) => /^[A-Za-z0-9-]+: \S/u.test(line)) && lines.some(isProposalLine),
  );
  return (ours ?? []).flatMap((line) => {
    const match = /^Team-Memory-(?<name>[A-Za-z]+): (?<value>.+)$/u.exec(line);
    const { name, value } = match?.groups ?? {};
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
}

function isProposalLine(line: string): boolean {
  return line.startsWith(`${PREFIX}Proposal: `);
}

function parseSent(value: string): [string, Sent][] {
  const match = /^(?<what>[0-9a-f]{40}|removed|nothing) (?<key>.+)$/u.exec(value);
  const { what, key } = match?.groups ?? {};
  if (what === undefined || key === undefined) return [];
  if (what === "nothing") return [[key, "nothing"]];
  return [[key, { blob: what === "removed" ? null : what }]];
}

function toId(value: string | null): GitId | null {
  return value !== null && /^[0-9a-f]{40}$/u.test(value) ? value : null;
}

function toProject(name: string | null): ProjectName | null {
  try {
    return parseProjectName(name);
  } catch (error) {
    if (isTeamMemoryError(error)) return null;
    throw error;
  }
}
