import { matchesAny } from "../../shared/project/match-project.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { Role } from "../../shared/protocol/schemas.ts";
import type { Grant, PersonRecord } from "./people-files.ts";

const RANK: Readonly<Record<Role, number>> = { reader: 1, contributor: 2, reviewer: 3, admin: 4 };

/** Each role may do what the ones before it may: reader, contributor, reviewer, admin. */
export function includesRole(held: Role | null, needed: Role): boolean {
  return held !== null && RANK[held] >= RANK[needed];
}

/** The highest role that the grants give on one project; null: not even that it exists. */
export function roleOn(grants: readonly Grant[], project: ProjectName): Role | null {
  return highestRole(rolesOf(grants.filter(({ projects }) => matchesAny(projects, project))));
}

/** The highest role on every project there is or will be: only the pattern `*` says that. */
export function roleOnAll(grants: readonly Grant[]): Role | null {
  return highestRole(rolesOf(grants.filter(({ projects }) => projects.includes("*"))));
}

export function highestRole(roles: readonly (Role | null)[]): Role | null {
  return roles.reduce((best, role) => (role === null || includesRole(best, role) ? best : role), null);
}

/** Whoever made them. */
export function hasAdmin(people: readonly Pick<PersonRecord, "grants">[]): boolean {
  return people.some(({ grants }) => rolesOf(grants).includes("admin"));
}

function rolesOf(grants: readonly Grant[]): readonly Role[] {
  return grants.map(({ role }) => role);
}
