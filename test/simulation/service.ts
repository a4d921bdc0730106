/**
 * The service and its remote as clients see them: the protocol's rules, nothing of how they are kept. What it accepts is
 * told to a witness, who knows what each client really had before it.
 */
import type { ProposalOutcome } from "../../shared/protocol/schemas.ts";
import type { Base } from "./base.ts";
import { mergeOntoBranch } from "./merge-onto-branch.ts";
import type { Change, ProposalModel } from "./proposal-model.ts";

export interface PutRequest {
  readonly id: string;
  readonly owner: number;
  readonly seq: number;
  readonly changes: readonly PutChange[];
  readonly restore: readonly string[];
}

export interface PutChange {
  readonly key: string;
  readonly baseBlob: string | null;
  readonly blob: string | null;
}

export type PutAnswer =
  | { readonly kind: "taken"; readonly state: ProposalOutcome["state"] }
  | { readonly kind: "sequence_conflict"; readonly seq: number }
  | { readonly kind: "conflict" | "stale_text"; readonly keys: readonly string[] }
  | { readonly kind: "base_held" | "forbidden" };

export interface Service {
  readonly base: Base;
  readonly proposals: ReadonlyMap<string, ProposalModel>;
  /** Clients whose token may not propose. */
  readonly forbidden: Set<number>;
  put(request: PutRequest): PutAnswer;
  outcomesOf(ids: readonly string[]): Map<string, ProposalOutcome>;
  /** Looks at the base and ends what stands there already. */
  reconcile(): void;
}

/** Told of each change that becomes part of a proposal. */
export type Witness = (owner: number, change: PutChange, wasRejected: boolean) => void;

export function openService(base: Base, witness: Witness): Service {
  const proposals = new Map<string, ProposalModel>();
  const forbidden = new Set<number>();
  return {
    base,
    proposals,
    forbidden,
    put: (request) => (forbidden.has(request.owner) ? FORBIDDEN : put({ base, proposals, witness }, request)),
    outcomesOf: (ids) => new Map(ids.flatMap((id) => toEntry(id, proposals.get(id)))),
    reconcile: () => {
      for (const proposal of proposals.values()) if (proposal.state === "open") endWhatStood(base, proposal);
    },
  };
}

const FORBIDDEN: PutAnswer = { kind: "forbidden" };

interface Place {
  readonly base: Base;
  readonly proposals: Map<string, ProposalModel>;
  readonly witness: Witness;
}

function put({ base, proposals, witness }: Place, request: PutRequest): PutAnswer {
  const known = proposals.get(request.id);
  if (known !== undefined && known.state !== "open") return { kind: "taken", state: known.state };
  if (base.isHeld) return { kind: "base_held" };
  const content = JSON.stringify([request.changes, request.restore]);
  if (known !== undefined && request.seq <= known.seq) {
    const isSame = request.seq === known.seq && content === known.content;
    return isSame ? { kind: "taken", state: "open" } : { kind: "sequence_conflict", seq: known.seq };
  }
  const settled = settleChanges(base, request, known);
  if (settled.stale.length > 0) return { kind: "stale_text", keys: settled.stale };
  if (settled.conflicts.length > 0) return { kind: "conflict", keys: settled.conflicts };
  const merged = mergeOntoBranch(known, settled.changes);
  if (merged.conflicts.length > 0) return { kind: "conflict", keys: merged.conflicts };
  for (const change of settled.wanted) {
    const isNo = ({ owner, changes, leftOut, rejected }: ProposalModel) =>
      owner === request.owner &&
      (rejected.get(change.key)?.blob === change.blob ||
        (leftOut.has(change.key) && changes.get(change.key)?.blob === change.blob));
    witness(request.owner, change, [...proposals.values()].some(isNo));
  }
  const next = toProposal({ base, request, known, content, ...merged, settled });
  proposals.set(request.id, next);
  return { kind: "taken", state: next.state };
}

interface Settled {
  readonly changes: ReadonlyMap<string, Change>;
  /** Those of them that are new to the proposal. */
  readonly wanted: readonly PutChange[];
  readonly conflicts: readonly string[];
  readonly stale: readonly string[];
  readonly rejected: number;
}

function settleChanges(base: Base, request: PutRequest, known: ProposalModel | undefined): Settled {
  const judged = request.changes.map((change) => ({ change, verdict: judgeChange(base, request, { known, change }) }));
  const those = (wanted: Verdict) => judged.flatMap(({ change, verdict }) => (verdict === wanted ? [change] : []));
  const keysOf = (changes: readonly PutChange[]) => changes.map(({ key }) => key);
  const wanted = those("wanted");
  const kept = [...wanted, ...those("carried")];
  return {
    changes: new Map(kept.map(({ key, baseBlob, blob }) => [key, { base: baseBlob, blob }])),
    wanted,
    conflicts: keysOf(those("conflict")),
    stale: keysOf(those("stale")),
    rejected: those("rejected").length,
  };
}

type Verdict = "wanted" | "carried" | "there" | "rejected" | "stale" | "conflict";

interface Question {
  readonly known: ProposalModel | undefined;
  readonly change: PutChange;
}

function judgeChange(base: Base, { restore }: PutRequest, { known, change }: Question): Verdict {
  const { key, baseBlob, blob } = change;
  const now = base.files.get(key) ?? null;
  if (known?.rejected.get(key)?.blob === blob) return "rejected";
  if (now === blob || isStanding(base, known, change)) return "there";
  const isCarried = known?.sent.get(key)?.blob === blob && known.changes.get(key)?.base === baseBlob;
  if (isCarried) return "carried";
  if (now !== baseBlob) return "conflict";
  const isStale = now === null && blob !== null && !restore.includes(key) && base.hasHad(key, blob);
  return isStale ? "stale" : "wanted";
}

function isStanding(base: Base, known: ProposalModel | undefined, { key, blob }: PutChange): boolean {
  return known?.changes.get(key)?.blob === blob && hasStood(base, key, { blob, began: known?.began ?? 0 });
}

interface Made {
  readonly base: Base;
  readonly request: PutRequest;
  readonly known: ProposalModel | undefined;
  readonly content: string;
  readonly net: ReadonlyMap<string, Change>;
  readonly settled: Settled;
}

/** Nothing left of it, and nothing of a person's on its branch: it has ended. */
function toProposal({ base, request, known, content, net, settled }: Made): ProposalModel {
  const human = known?.human ?? new Map<string, string | null>();
  const ending = request.changes.length === 0 ? "withdrawn" : settled.rejected > 0 ? "closed" : "merged";
  const state = net.size > 0 || human.size > 0 ? "open" : ending;
  return {
    owner: request.owner,
    seq: request.seq,
    content,
    state,
    began: known?.began ?? base.revision,
    changes: new Map(net),
    sent: new Map(settled.changes),
    human,
    rejected: known?.rejected ?? new Map(),
    reason: known?.reason ?? null,
    leftOut: new Set(state === "closed" ? request.changes.map(({ key }) => key) : []),
  };
}

function hasStood(base: Base, key: string, { blob, began }: { blob: string | null; began: number }): boolean {
  return base.entriesOf(key).some((entry) => entry.blob === blob && entry.revision > began);
}

/** Merged by somebody else's hand: every change has stood on the base since it began. */
function endWhatStood(base: Base, proposal: ProposalModel): void {
  const { changes, began } = proposal;
  const stands = ([key, { blob }]: readonly [string, Change]) =>
    (base.files.get(key) ?? null) === blob || hasStood(base, key, { blob, began });
  if (changes.size > 0 && [...changes].every(stands)) proposal.state = "merged";
}

function toEntry(id: string, proposal: ProposalModel | undefined): [string, ProposalOutcome][] {
  if (proposal === undefined) return [];
  const { state, seq, reason, changes, rejected, leftOut } = proposal;
  const isNo = (key: string) => !changes.has(key) || leftOut.has(key);
  const turnedDown = [...new Set([...rejected.keys(), ...leftOut])].filter(isNo);
  return [[id, { state, seq, reason, rejected: turnedDown, url: `https://memory.example.org/${id}` }]];
}
