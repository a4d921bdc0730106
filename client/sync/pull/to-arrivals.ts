import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { toCanonical } from "../../../shared/memory/to-canonical.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import type { Arrival } from "../state/pristine.ts";
import type { PullResponse, ReceivedUpsert } from "./parse-pull-response.ts";

/**
 * What the service sent, each text held against its id.
 *
 * @throws TeamMemoryError `bad_response` where a text is not the one that its id names
 */
export function toArrivals(response: PullResponse): Arrival[] {
  return [...response.upserts.map(toArrival), ...response.removals.map((key) => ({ key, blob: null }) as const)];
}

function toArrival({ key, blob, text, name, description, type, changedAt, changedBy }: ReceivedUpsert): Arrival {
  if (blobIdOf(text) !== blob)
    throw new TeamMemoryError("bad_response", "A text of the answer is not what its id says");
  const canonical = toCanonical(text);
  const canonicalBlob = canonical === text ? blob : blobIdOf(canonical);
  return { key, blob, canonicalBlob, text, name, description, type, changedAt, changedBy };
}
