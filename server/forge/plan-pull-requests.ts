/**
 * What is left to do so that each open proposal has its pull request, and no other has an open one: a pure function of
 * what is, run at every look. Done twice, or by two services at once, it comes to the same.
 */
import { LIMITS } from "../../shared/limits.ts";
import type { PullRequest } from "./forge.ts";
import type { OpenSummary } from "./proposal-text.ts";
import { readMarker, toMarker } from "./pull-request-text.ts";

/** What each of ours is labelled with. */
export const LABEL = "team-memory";

export interface PullRequestFacts {
  readonly open: readonly OpenSummary[];
  /** The one that counts of each proposal, by its id. */
  readonly requests: ReadonlyMap<string, PullRequest>;
  /** What became of a proposal that is open no longer; null: nothing is known of it, and it is somebody's own affair. */
  readonly endOf: (id: string) => "merged" | "closed" | "withdrawn" | null;
}

export type PullRequestStep =
  | { readonly kind: "open"; readonly id: string }
  /** What it proposes has changed since its text was written. */
  | { readonly kind: "rewrite"; readonly id: string; readonly request: PullRequest }
  /** Reviewers are asked, then it is labelled: the label says that both is done. */
  | { readonly kind: "announce"; readonly request: PullRequest }
  /** Its proposal has ended in another way. */
  | { readonly kind: "settle"; readonly request: PullRequest; readonly end: "merged" | "closed" | "withdrawn" };

export function planPullRequests(facts: PullRequestFacts): readonly PullRequestStep[] {
  const oldest = [...facts.open].sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  const isOpen = new Set(facts.open.map(({ id }) => id));
  const ended = [...facts.requests].filter(([id, { state }]) => state === "open" && !isOpen.has(id));
  return [
    ...ended.flatMap(([id, request]) => planEnded(facts, id, request)),
    ...oldest.slice(0, LIMITS.forgeOpenRequestsMax).flatMap((proposal) => planOpen(facts, proposal)),
  ];
}

function planEnded({ endOf }: PullRequestFacts, id: string, request: PullRequest): PullRequestStep[] {
  const end = endOf(id);
  return end === null ? [] : [{ kind: "settle", request, end }];
}

function planOpen({ requests }: PullRequestFacts, proposal: OpenSummary): PullRequestStep[] {
  const request = requests.get(proposal.id);
  if (request === undefined) return [{ kind: "open", id: proposal.id }];
  // Merged or closed: the look at the remote that follows ends the proposal.
  if (request.state !== "open") return [];
  const steps: PullRequestStep[] = [];
  if (!isCurrent(request, proposal)) steps.push({ kind: "rewrite", id: proposal.id, request });
  if (!request.labels.includes(LABEL)) steps.push({ kind: "announce", request });
  return steps;
}

function isCurrent({ body }: PullRequest, proposal: OpenSummary): boolean {
  const [written, wanted] = [readMarker(body), toMarker(proposal)];
  return written?.id === wanted.id && written.head === wanted.head && written.conflicts === wanted.conflicts;
}

/** Of several of one branch the open one, else the merged one, else the last that was closed. */
export function pickRequest(one: PullRequest, other: PullRequest): PullRequest {
  const [a, b] = [RANKS[one.state], RANKS[other.state]];
  if (a !== b) return a > b ? one : other;
  return one.number > other.number ? one : other;
}

const RANKS = { open: 2, merged: 1, closed: 0 } as const;
