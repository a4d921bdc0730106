import { LIMITS } from "../../../shared/limits.ts";
import type { Proposal, ProposalDetail } from "../../../shared/protocol/schemas.ts";
import { asArray, asCount, asGitId, asObject, asText, orNull } from "../json-shape.ts";

/** Proposals as the service describes them, from untrusted JSON. @throws TypeError */
export function parseProposals(json: unknown): Proposal[] {
  return asArray(asObject(json)["proposals"], LIMITS.openProposalsPerProjectMax * 2).map(parseProposal);
}

export function parseProposalDetail(json: unknown): ProposalDetail {
  const { diff, checks } = asObject(json);
  return {
    ...parseProposal(json),
    diff: asArray(diff, LIMITS.changesPerProposalMax).map((item) => {
      const { key, before, after } = asObject(item);
      return { key: asKey(key), before: orNull(before, asMemory), after: orNull(after, asMemory) };
    }),
    checks: asArray(checks, LIMITS.changesPerProposalMax * 10).map((item) => {
      const { key, check, message } = asObject(item);
      return { key: asKey(key), check: asLine(check), message: asLine(message) };
    }),
  };
}

export function parseProposal(json: unknown): Proposal {
  const proposal = asObject(json);
  const line = (field: string) => asLine(proposal[field]);
  return {
    id: line("id"),
    project: line("project"),
    state: oneOf(STATES, proposal["state"]),
    seq: asCount(proposal["seq"]),
    by: line("by"),
    title: line("title"),
    createdAt: line("createdAt"),
    updatedAt: line("updatedAt"),
    branch: line("branch"),
    head: orNull(proposal["head"], asGitId),
    url: line("url"),
    reason: orNull(proposal["reason"], asLine),
    changes: asArray(proposal["changes"], LIMITS.changesPerProposalMax * 2).map(parseChange),
    conflicts: asArray(proposal["conflicts"], LIMITS.changesPerProposalMax).map(asKey),
  };
}

const STATES = ["open", "merged", "closed", "withdrawn"] as const;
const KINDS = ["added", "changed", "removed"] as const;
const KEY_STATES = ["proposed", "merged", "rejected"] as const;

function parseChange(json: unknown): Proposal["changes"][number] {
  const { key, kind, baseBlob, blob, state } = asObject(json);
  return {
    key: asKey(key),
    kind: oneOf(KINDS, kind),
    baseBlob: orNull(baseBlob, asGitId),
    blob: orNull(blob, asGitId),
    state: oneOf(KEY_STATES, state),
  };
}

function oneOf<T extends string>(known: readonly T[], value: unknown): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new TypeError("not one of the words");
  return found;
}

/** A key that is only shown: a reviewer sees what was proposed, whatever it is. */
function asKey(value: unknown): string {
  return asText(value, LIMITS.keySizeBytesMax * 3);
}

function asLine(value: unknown): string {
  return asText(value, LIMITS.urlLengthMax);
}

function asMemory(value: unknown): string {
  return asText(value, LIMITS.requestBodySizeBytesMax);
}
