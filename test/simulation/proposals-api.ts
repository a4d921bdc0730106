/** Proposals and reviews by the calls that anyone can make. */
import { memoriesResponse, type Proposal, proposalsResponse } from "../../shared/protocol/schemas.ts";

export interface ProposalsApi {
  put(id: string, changes: readonly WireChange[]): Promise<void>;
  approve(id: string): Promise<void>;
  list(): Promise<readonly Proposal[]>;
  /** Of the base as it is served, by key. */
  blobs(): Promise<ReadonlyMap<string, string>>;
}

interface WireChange {
  readonly key: string;
  readonly baseBlob: string | null;
  readonly text: string | null;
}

/** Each call throws where the service says no. `project`: as it stands in an address. */
export function openProposalsApi(url: string, token: string, project: string): ProposalsApi {
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
    const address = `${url}/v1/projects/${project}/${path}`;
    const answer = await fetch(address, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  return {
    put: async (id, changes) => void (await call("PUT", `proposals/${id}`, { seq: 1, changes })),
    approve: async (id) => void (await call("POST", `proposals/${id}/approve`, {})),
    list: async () => proposalsResponse.parse(await call("GET", "proposals")).proposals,
    blobs: async () => {
      const { upserts } = memoriesResponse.parse(await call("GET", "memories"));
      return new Map(upserts.map(({ key, blob }) => [key, blob]));
    },
  };
}
