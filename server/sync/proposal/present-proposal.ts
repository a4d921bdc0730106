/** Proposals as the wire has them. */
import { LIMITS } from "../../../shared/limits.ts";
import { toUrlSegment } from "../../../shared/project/parse-project-name.ts";
import type { Proposal, ProposalOutcome } from "../../../shared/protocol/schemas.ts";
import type { GitId } from "../../git/port.ts";
import type { HistoryIndex } from "../history/history-index.ts";
import { judgeProposal, type KeyStanding } from "./judge-proposal.ts";
import type { Outcome } from "./outcome.ts";
import { type OpenProposal, toBy } from "./proposal.ts";
import { toBranchName } from "./refs.ts";

export interface Presentation {
  readonly index: HistoryIndex;
  readonly publicUrl: string;
  /** Of the pull request in which a proposal is reviewed; null: it has none. */
  readonly reviewUrlOf: (id: string) => string | null;
}

type WireChange = Proposal["changes"][number];

/** `said`: what was recorded of it while it stays open, the keys that were rejected. */
export function presentOpen(presentation: Presentation, open: OpenProposal, said: Outcome | null): Proposal {
  const { index } = presentation;
  const standing = judgeProposal(index, open);
  const changes = [...open.changes].map(([key, change]) =>
    toWireChange({ key, ...change, state: toState(standing.get(key)) }),
  );
  const rejected = findRejected(index, open, said);
  const merged = findMerged(index, open).filter(({ key }) => !rejected.some((change) => change.key === key));
  return {
    ...toCommon(presentation, open),
    state: "open",
    by: toBy(open),
    createdAt: open.createdAt.toISOString(),
    updatedAt: open.updatedAt.toISOString(),
    head: open.head,
    reason: said?.reason ?? null,
    changes: [...changes, ...[...rejected, ...merged].slice(0, LIMITS.changesPerProposalMax).map(toWireChange)],
    conflicts: [...standing].filter(([, state]) => state === "conflict").map(([key]) => key),
  };
}

export function presentFinished(presentation: Presentation, outcome: Outcome): Proposal {
  const { by, createdAt, updatedAt, reason, state } = outcome;
  const changes = outcome.changes.map(toWireChange);
  return {
    ...toCommon(presentation, outcome),
    state,
    by,
    createdAt,
    updatedAt,
    head: null,
    reason,
    changes,
    conflicts: [],
  };
}

/** One entry of the outcomes header. */
export function toOutcome(
  presentation: Presentation,
  proposal: Outcome | OpenProposal,
  said: Outcome | null,
): ProposalOutcome {
  const rejected =
    "sent" in proposal ? findRejected(presentation.index, proposal, said) : proposal.changes.filter(isRejected);
  return {
    state: "sent" in proposal ? "open" : proposal.state,
    seq: proposal.seq,
    reason: ("sent" in proposal ? said?.reason : proposal.reason) ?? null,
    rejected: rejected.map(({ key }) => key),
    url: toUrl(presentation, proposal),
  };
}

/** What the base has of it already, as it was taken last. */
function findMerged(index: HistoryIndex, { id, changes }: OpenProposal): readonly PresentedChange[] {
  const keys = index.merges(id).flatMap((merge) => merge.keys);
  const merged = new Map(keys.map(({ key, before, after }) => [key, { key, base: before, blob: after }]));
  return [...merged.values()].filter(({ key }) => !changes.has(key)).map((change) => ({ ...change, state: "merged" }));
}

/** A key that was proposed anew with another text, or has gone to the base since, is rejected no longer. */
function findRejected(index: HistoryIndex, open: OpenProposal, said: Outcome | null): Outcome["changes"] {
  if (said === null) return [];
  const saidAt = Date.parse(said.updatedAt);
  const merges = index.merges(open.id).filter(({ at }) => at > saidAt);
  const isTaken = (key: string) => merges.some(({ keys }) => keys.some((taken) => taken.key === key));
  return said.changes.filter((change) => isRejected(change) && !open.changes.has(change.key) && !isTaken(change.key));
}

function isRejected({ state }: Outcome["changes"][number]): boolean {
  return state === "rejected";
}

function toState(standing: KeyStanding | undefined): WireChange["state"] {
  return standing === "stood" ? "merged" : "proposed";
}

interface PresentedChange {
  readonly key: string;
  readonly base: GitId | null;
  readonly blob: GitId | null;
  readonly state: WireChange["state"];
}

function toWireChange({ key, base, blob, state }: PresentedChange): WireChange {
  return { key, kind: toKind(base, blob), baseBlob: base, blob, state };
}

function toKind(base: GitId | null, blob: GitId | null): WireChange["kind"] {
  if (blob === null) return "removed";
  return base === null ? "added" : "changed";
}

type Named = Pick<Outcome, "id" | "project" | "title" | "seq">;

function toCommon(presentation: Presentation, { id, project, title, seq }: Named) {
  return { id, project, title, seq, branch: toBranchName(id), url: toUrl(presentation, { id, project }) };
}

function toUrl({ publicUrl, reviewUrlOf }: Presentation, { id, project }: Pick<Outcome, "id" | "project">): string {
  return reviewUrlOf(id) ?? `${publicUrl}/v1/projects/${toUrlSegment(project)}/proposals/${id}`;
}
