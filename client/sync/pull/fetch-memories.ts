import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { toUrlSegment } from "../../../shared/project/parse-project-name.ts";
import { callService, type ServiceAnswer } from "../../http/call-service.ts";
import type { SyncContext } from "../context.ts";
import type { Head } from "../state/head.ts";

/**
 * One conditional request for what has changed since the head; without a head, or by the second time of asking, for
 * everything.
 *
 * @throws TeamMemoryError as callService, and with the service's own code
 */
export async function fetchMemories(
  { service, project }: SyncContext,
  head: Head | null,
  options: { readonly timeoutMs?: number },
): Promise<ServiceAnswer> {
  const answer = await callService({
    service,
    method: "GET",
    path: `/v1/projects/${toUrlSegment(project)}/memories${toQuery(head)}`,
    headers: head?.etag == null ? {} : { "if-none-match": head.etag },
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
  if (answer.status !== 304 || head?.etag != null) return answer;
  throw new TeamMemoryError("bad_response", "The service says that nothing changed since nothing was asked");
}

function toQuery(head: Head | null): string {
  if (head === null) return "";
  const query = new URLSearchParams();
  if (head.revision !== null) {
    query.set("since", head.tree);
    query.set("revision", head.revision);
  }
  if (head.proposals.length > 0) query.set("proposals", head.proposals.join(","));
  return query.size === 0 ? "" : `?${query}`;
}
