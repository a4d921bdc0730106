/** Each wanted change against the base: what is still to be proposed, what is there already, what cannot be. */
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { GitId } from "../../git/port.ts";
import type { ConflictingKey } from "./conflict.ts";
import { judgeKey } from "./judge-proposal.ts";
import type { KeyFailure, WantedChange } from "./parse-request.ts";
import type { KeyChange } from "./proposal.ts";
import type { ProposalFacts } from "./proposal-facts.ts";

export interface SettledChanges {
  readonly changes: ReadonlyMap<MemoryKey, KeyChange>;
  readonly conflicts: readonly ConflictingKey[];
  readonly failures: readonly KeyFailure[];
  /** How many were left out because a reviewer had rejected this very text. */
  readonly rejected: number;
}

type Verdict =
  | { readonly kind: "wanted"; readonly base: GitId | null }
  | { readonly kind: "there" | "rejected" | "stale" | "conflict" };

export function settleChanges(facts: ProposalFacts): SettledChanges {
  const changes = new Map<MemoryKey, KeyChange>();
  const conflicts: ConflictingKey[] = [];
  const failures: KeyFailure[] = [];
  let rejected = 0;
  for (const change of facts.wanted.changes) {
    const { key, baseBlob, blob } = change;
    const verdict = settle(facts, change);
    if (verdict.kind === "wanted") changes.set(key, { base: verdict.base, blob });
    if (verdict.kind === "rejected") rejected += 1;
    if (verdict.kind === "stale") failures.push(toStale(key));
    if (verdict.kind === "conflict") conflicts.push({ key, baseBlob, current: blobNow(facts, key), wanted: blob });
  }
  return { changes, conflicts, failures, rejected };
}

function settle(facts: ProposalFacts, change: WantedChange): Verdict {
  const { key, baseBlob } = change;
  if (isRejected(facts, change)) return { kind: "rejected" };
  if (isThere(facts, change)) return { kind: "there" };
  const carried = findCarried(facts, change);
  if (carried !== null) return { kind: "wanted", base: carried.base };
  const served = facts.snapshot.files.get(key);
  // A file in quarantine is not there for a client: whoever writes that key anew replaces it.
  const known: (GitId | null)[] = [served?.blob ?? null, served?.canonicalBlob ?? null, blobNow(facts, key)];
  if (!known.includes(baseBlob)) return { kind: "conflict" };
  if (served === undefined && isStale(facts, change)) return { kind: "stale" };
  return { kind: "wanted", base: blobNow(facts, key) };
}

function isRejected({ said }: ProposalFacts, { key, blob }: WantedChange): boolean {
  return said?.changes.some((told) => told.state === "rejected" && told.key === key && told.blob === blob) === true;
}

/** The base has this text, has had it since the proposal began, or has got this very change from the proposal itself. */
function isThere({ id, snapshot, index, open }: ProposalFacts, { key, baseBlob, blob }: WantedChange): boolean {
  const served = snapshot.files.get(key);
  if (blob === null ? served === undefined : blob === served?.blob || blob === served?.canonicalBlob) return true;
  const taken = index.merges(id).flatMap(({ keys }) => keys);
  if (taken.some((merged) => merged.key === key && merged.before === baseBlob && merged.after === blob)) return true;
  const change = open?.changes.get(key);
  if (open === null || change?.blob !== blob) return false;
  if (open.approved.has(key)) return true;
  const began = index.ordinal(open.fork) ?? 0;
  return judgeKey(index, { project: open.project, key, change: { ...change, blob }, began }) === "stood";
}

/**
 * The same change as the branch has it, sent once more beside others: it may be in conflict with the base by now and stays
 * proposed until somebody resolves that.
 */
function findCarried({ open }: ProposalFacts, { key, baseBlob, blob }: WantedChange): KeyChange | null {
  const change = open?.changes.get(key);
  const sent = open?.sent.get(key);
  const isResent = sent !== undefined && sent !== "nothing" && sent.blob === blob;
  return change !== undefined && isResent && baseBlob === change.base ? change : null;
}

/** The project had this very text under this key, and removed it. */
function isStale({ index, snapshot, wanted }: ProposalFacts, { key, blob }: WantedChange): boolean {
  if (blob === null || wanted.restore.has(key)) return false;
  return index.entryOf(snapshot.project, key, blob) !== undefined;
}

function toStale(key: string): KeyFailure {
  return { key, code: "stale_text", message: "Cannot add a text again that the team removed" };
}

function blobNow({ snapshot }: ProposalFacts, key: MemoryKey): GitId | null {
  return snapshot.blobs.get(key) ?? null;
}
