import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { type ProjectName, toUrlSegment } from "../../shared/project/parse-project-name.ts";
import { callService } from "../http/call-service.ts";
import { expectJson } from "../http/expect-json.ts";
import { toAmbiguousProject } from "../memory/choose-project.ts";
import type { JoinedService } from "../user-config.ts";

export interface VisibleProject {
  readonly project: ProjectName;
  readonly service: JoinedService;
}

/**
 * Which of the projects that a repository could be about one of the services shows us. A project that nobody has written
 * about yet is shown to whoever may see it.
 *
 * @throws TeamMemoryError `ambiguous_project` (a fork and its upstream, both shown), `not_found`, `usage` (one project on
 *   two services), and what made a service give no answer where none shows any
 */
export async function findVisibleProject(
  services: readonly JoinedService[],
  candidates: readonly ProjectName[],
): Promise<VisibleProject> {
  const visible: VisibleProject[] = [];
  const failures: TeamMemoryError[] = [];
  for (const service of services) {
    for (const project of candidates) {
      const seen = await isVisible(service, project).catch(toFailure);
      if (seen === true) visible.push({ service, project });
      else if (seen !== false) failures.push(seen);
    }
  }
  return chooseVisible(visible, failures[0] ?? toNotFound(services, candidates));
}

function chooseVisible(visible: readonly VisibleProject[], otherwise: TeamMemoryError): VisibleProject {
  const [first] = visible;
  if (first === undefined) throw otherwise;
  const projects = [...new Set(visible.map(({ project }) => project))];
  if (projects.length > 1) throw toAmbiguousProject(projects);
  if (visible.length > 1) throw toTwoServices(visible);
  return first;
}

/** The service answers for a project that we may not see as for one that does not exist. */
async function isVisible(service: JoinedService, project: ProjectName): Promise<boolean> {
  const path = `/v1/projects/${toUrlSegment(project)}/head`;
  const answer = await callService({ service, method: "GET", path, timeoutMs: LIMITS.joinTimeoutMs });
  try {
    expectJson(answer);
    return true;
  } catch (error) {
    if (isTeamMemoryError(error) && ["not_found", "forbidden"].includes(error.code)) return false;
    throw error;
  }
}

function toFailure(error: unknown): TeamMemoryError {
  if (isTeamMemoryError(error)) return error;
  throw error;
}

function toNotFound(services: readonly JoinedService[], candidates: readonly ProjectName[]): TeamMemoryError {
  const where = services.map(({ url }) => url).join(", ");
  return new TeamMemoryError("not_found", `Your token may not see ${candidates.join(" or ")} at ${where}`, {
    details: { projects: candidates, services: services.map(({ url }) => url) },
  });
}

function toTwoServices(visible: readonly VisibleProject[]): TeamMemoryError {
  const urls = visible.map(({ service }) => service.url);
  return new TeamMemoryError("usage", `More than one of your services has this project: ${urls.join(", ")}`, {
    details: { usage: "team-memory join LINK, with a link of the one that you mean", services: urls },
  });
}
