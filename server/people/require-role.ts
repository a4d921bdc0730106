import type { FastifyRequest } from "fastify";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { fromUrlSegment, type ProjectName } from "../../shared/project/parse-project-name.ts";
import type { Role } from "../../shared/protocol/schemas.ts";
import type { Principal } from "./directory.ts";
import { includesRole } from "./roles.ts";

/**
 * The project that a request's address names, once its caller may do this there. A project that they may not see
 * answers as one that does not exist.
 * @throws TeamMemoryError bad_request, not_found, forbidden
 */
export function requireRole(request: FastifyRequest, segment: string, needed: Role): ProjectName {
  const project = fromUrlSegment(segment);
  const held = principalOf(request).roleOn(project);
  if (held === null)
    throw new TeamMemoryError("not_found", `Could not find the project ${project}`, { details: { project } });
  if (!includesRole(held, needed)) throw forbidden(held, needed, { project });
  return project;
}

/**
 * For what holds every project at once.
 * @throws TeamMemoryError forbidden
 */
export function requireRoleOnAll(request: FastifyRequest, needed: Role): Role {
  const held = principalOf(request).roleOnAll;
  if (held === null || !includesRole(held, needed)) throw forbidden(held, needed, {});
  return held;
}

/** @throws TypeError on a public route: there is nobody to ask for */
export function principalOf({ principal }: FastifyRequest): Principal {
  if (principal === null) throw new TypeError("this route has no principal: it is public");
  return principal;
}

function forbidden(held: Role | null, needed: Role, details: Readonly<Record<string, unknown>>): TeamMemoryError {
  const message = `Could not do this as ${held ?? "a member of some projects"}: it takes a ${needed}`;
  return new TeamMemoryError("forbidden", message, { details: { ...details, role: held, needed } });
}
