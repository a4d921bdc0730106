/**
 * The words of a pull request: pure. What reviewers of a team read before they look at the files; nothing of a memory but
 * its face. Names and descriptions are other people's text: each stands in a code span, where it can neither mention a
 * person, nor close an issue, nor draw anything.
 */
import { createHash } from "node:crypto";
import { LIMITS } from "../../shared/limits.ts";
import { toVisibleLine } from "../../shared/memory/invisible-characters.ts";
import type { ProposalText, TextChange } from "./proposal-text.ts";

export interface PullRequestText {
  readonly title: string;
  readonly body: string;
}

/** What our part of a body says of itself: by it a later look knows whether anything has to be written anew. */
export interface Marker {
  readonly id: string;
  readonly head: string;
  /** Of the keys that the base has changed meanwhile. */
  readonly conflicts: string;
  /** Of the title that was given here: another one is somebody's own. */
  readonly title: string;
}

const BEGIN = "<!-- team-memory:begin -->";
const MARKER = /<!-- team-memory (?<json>\{[^\n]*\}) -->/u;
const OURS = /<!-- team-memory:begin -->[\s\S]*?<!-- team-memory \{[^\n]*\} -->/u;
/** In each of our comments, so that none is taken for a reviewer's word. */
const COMMENT_MARK = "<!-- team-memory:comment -->";

export function toPullRequestText(proposal: ProposalText): PullRequestText {
  const title = toVisibleLine(proposal.title).slice(0, LIMITS.forgeTitleLengthMax) || "Propose to the team's memory";
  const rows = proposal.changes.slice(0, LIMITS.forgeBodyRowsMax).map(toTableRow);
  const others = proposal.changes.length - rows.length;
  const lines = [
    BEGIN,
    `${toCode(proposal.by)} proposes to change what coding agents are told in ${toCode(proposal.project)}.`,
    "",
    "| | memory | type | what it says | on the base since |",
    "|---|---|---|---|---|",
    ...rows,
    ...(others > 0 ? ["", `And ${others} more.`] : []),
    "",
    ...toCheckLines(proposal),
    "",
    "A file that you edit here is taken as you leave it; a file whose change you take back is refused, and the rest can be",
    "merged. Where you close this without merging, your last comment is what its author is told.",
    "",
    toMarkerLine({ ...toMarker(proposal), title: hashOf(title) }),
  ];
  return { title, body: lines.join("\n") };
}

/** The same body with our part in the place of the one before; what people wrote around it stays. */
export function replaceOurs(body: string, ours: string): string {
  const before = body.replaceAll("\r\n", "\n");
  return OURS.test(before) ? before.replace(OURS, () => ours) : [before.trimEnd(), ours].filter(Boolean).join("\n\n");
}

/** Null: none of ours stands in it. */
export function readMarker(body: string): Marker | null {
  try {
    const { id, head, conflicts, title } = JSON.parse(MARKER.exec(body)?.groups?.["json"] ?? "null");
    const isMarker = [id, head, conflicts, title].every((value) => typeof value === "string");
    return isMarker ? { id, head, conflicts, title } : null;
  } catch {
    return null;
  }
}

export function toMarker({ id, head, conflicts }: Pick<ProposalText, "id" | "head" | "conflicts">) {
  return { id, head, conflicts: hashOf([...conflicts].sort().join("\n")) };
}

/** Whether the title is the one that was given here. */
export function isOwnTitle(marker: Marker, title: string): boolean {
  return marker.title === hashOf(title);
}

export function toComment(text: string): string {
  return `${text}\n\n${COMMENT_MARK}`;
}

export function isOwnComment(text: string): boolean {
  return text.includes(COMMENT_MARK);
}

function toMarkerLine(marker: Marker): string {
  return `<!-- team-memory ${JSON.stringify({ v: 1, ...marker })} -->`;
}

const KINDS = { added: "added", changed: "changed", removed: "**removed**" } as const;

function toTableRow({ key, kind, face, since }: TextChange): string {
  const says = face === null ? "" : toCode(face.description === "" ? face.name : face.description);
  const date = since === null ? "" : since.toISOString().slice(0, "2026-01-31".length);
  return `| ${KINDS[kind]} | ${toCode(key)} | ${face?.type ?? ""} | ${says} | ${date} |`;
}

function toCheckLines({ checks, alike, conflicts }: ProposalText): readonly string[] {
  const lines = [
    ...checks.map(({ key, message }) => `${toCode(key)}: ${toCode(message)}`),
    ...alike.map(
      ({ key, other, by }) => `${toCode(key)} has the ${by} of ${toCode(other)}: one of the two may be enough`,
    ),
    ...conflicts.map((key) => `${toCode(key)}: the base has changed it meanwhile`),
  ].slice(0, LIMITS.forgeBodyRowsMax);
  if (lines.length === 0)
    return ["Checked: frontmatter, sizes, secrets, invisible characters, look-alikes on the base."];
  return ["To look at:", "", ...lines.map((line) => `- ${line}`)];
}

/** A span that nothing in it can end: not in a table either, whose cells end at a bar. No comment begins in it: our marker is one. */
function toCode(text: string): string {
  const line = toVisibleLine(text).replaceAll("`", "'").replaceAll("|", "¦").replaceAll("<", "‹").trim();
  const cut = line.length > LIMITS.forgeCellLengthMax ? `${line.slice(0, LIMITS.forgeCellLengthMax - 3)}...` : line;
  return cut === "" ? "" : `\`${cut}\``;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
