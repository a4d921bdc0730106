import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { toUrlSegment } from "../../../shared/project/parse-project-name.ts";
import type { ProposalRequest } from "../../../shared/protocol/schemas.ts";
import { callService } from "../../http/call-service.ts";
import { expectJson } from "../../http/expect-json.ts";
import type { SyncContext } from "../context.ts";
import { asArray, asObject, asText } from "../json-shape.ts";
import type { OpenProposal } from "../state/outbox.ts";

/** What the client has to know of an accepted proposal. */
export interface AcceptedProposal {
  readonly state: string;
  readonly url: string;
  /** Keys that the base has already. */
  readonly merged: ReadonlySet<string>;
}

/** @throws TeamMemoryError with the service's own code, or as callService */
export async function putProposal({ service, project }: SyncContext, open: OpenProposal): Promise<AcceptedProposal> {
  const answer = await callService({
    service,
    method: "PUT",
    path: `/v1/projects/${toUrlSegment(project)}/proposals/${open.id}`,
    body: toBody(open),
  });
  try {
    const { state, url, changes } = asObject(expectJson(answer));
    const merged = asArray(changes, LIMITS.changesPerProposalMax * 2)
      .map(asObject)
      .filter(isMerged);
    return {
      state: asText(state, STATE_LENGTH_MAX),
      url: asText(url, LIMITS.urlLengthMax),
      merged: new Set(merged.map(({ key }) => asText(key, LIMITS.keySizeBytesMax * 3))),
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TeamMemoryError("bad_response", "The service's answer is no proposal", { cause: error });
  }
}

const STATE_LENGTH_MAX = 20;

function isMerged(change: ReturnType<typeof asObject>): boolean {
  return change["state"] === "merged";
}

function toBody({ seq, changes, restore }: OpenProposal): ProposalRequest {
  return {
    seq,
    changes: changes.map(({ key, baseBlob, text }) => ({ key, baseBlob, text })),
    ...(restore.length === 0 ? {} : { restore: [...restore] }),
  };
}
