import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

export type GitService = "git-upload-pack" | "git-receive-pack";

/** One of the four requests of the smart protocol: what can be fetched or pushed, and the fetch or push itself. */
export interface GitRoute {
  readonly service: GitService;
  readonly step: "advertise" | "exchange";
}

/**
 * The request that `method`, `path` (below the repository's URL) and `query` name. Throws `not_found` for anything else,
 * the dumb protocol included, and `method_not_allowed`.
 */
export function parseGitRoute(method: string, path: string, query: string): GitRoute {
  if (path === "/info/refs") {
    assertMethod(method, "GET");
    return { service: parseService(new URLSearchParams(query).get("service")), step: "advertise" };
  }
  const service = parseService(path.slice(1));
  assertMethod(method, "POST");
  return { service, step: "exchange" };
}

function parseService(name: string | null): GitService {
  if (name === "git-upload-pack" || name === "git-receive-pack") return name;
  throw new TeamMemoryError("not_found", "could not serve this: only git's smart protocol is spoken here");
}

function assertMethod(method: string, wanted: string): void {
  if (method !== wanted)
    throw new TeamMemoryError("method_not_allowed", `could not serve ${wanted} requests by another method`);
}
