import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { toUrlSegment } from "../../../shared/project/parse-project-name.ts";
import type { Proposal, ProposalDetail } from "../../../shared/protocol/schemas.ts";
import { callService, type ServiceRequest } from "../../http/call-service.ts";
import { expectJson } from "../../http/expect-json.ts";
import type { SyncContext } from "../context.ts";
import { parseProposal, parseProposalDetail, parseProposals } from "./parse-proposal.ts";

/** A reviewer's calls. */
export function fetchProposals(context: SyncContext): Promise<readonly Proposal[]> {
  return ask(context, { method: "GET", path: "" }, parseProposals);
}

/** @param timeoutMs for the whole call; LIMITS.responseTimeoutMs where left out */
export function fetchProposal(context: SyncContext, id: string, timeoutMs?: number): Promise<ProposalDetail> {
  const bound = timeoutMs === undefined ? {} : { timeoutMs };
  return ask(context, { method: "GET", path: `/${encodeURIComponent(id)}`, ...bound }, parseProposalDetail);
}

export interface Approval {
  /** Only these; empty: all. */
  readonly keys: readonly string[];
  /** The commit that was looked at. */
  readonly head?: string;
}

export function approveProposal(context: SyncContext, id: string, { keys, head }: Approval): Promise<Proposal> {
  const body = { ...named(keys), ...(head === undefined ? {} : { head }) };
  return ask(context, { method: "POST", path: `/${encodeURIComponent(id)}/approve`, body }, parseProposal);
}

export interface Closing {
  readonly keys: readonly string[];
  readonly reason: string;
}

export function closeProposal(context: SyncContext, id: string, { keys, reason }: Closing): Promise<Proposal> {
  const body = { ...named(keys), reason };
  return ask(context, { method: "POST", path: `/${encodeURIComponent(id)}/close`, body }, parseProposal);
}

function named(keys: readonly string[]): { keys?: readonly string[] } {
  return keys.length === 0 ? {} : { keys };
}

/** @throws TeamMemoryError with the service's own code, `bad_response`, or as callService */
async function ask<T>(
  { service, project }: SyncContext,
  request: Pick<ServiceRequest, "method" | "path" | "body" | "timeoutMs">,
  parse: (json: unknown) => T,
): Promise<T> {
  const path = `/v1/projects/${toUrlSegment(project)}/proposals${request.path}`;
  const json = expectJson(await callService({ ...request, service, path }));
  try {
    return parse(json);
  } catch (cause) {
    throw new TeamMemoryError("bad_response", "The service's answer is no proposal", { cause });
  }
}
