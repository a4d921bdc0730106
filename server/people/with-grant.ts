import { coversPattern } from "../../shared/project/match-project.ts";
import type { Grant, PersonRecord } from "./people-files.ts";
import { includesRole } from "./roles.ts";

/**
 * The person with one more grant. Roles only add up, so what another grant gives already is left out, and the patterns
 * of one role stand together: whoever is invited twice has one grant, and the list of people says what it amounts to.
 */
export function withGrant(person: PersonRecord, grant: Grant): PersonRecord {
  if (person.grants.some((held) => covers(held, grant))) return person;
  const kept = person.grants.filter((held) => !covers(grant, held));
  const same = kept.find(({ role }) => role === grant.role);
  if (same === undefined) return { ...person, grants: [...kept, grant] };
  const projects = mergePatterns(same.projects, grant.projects);
  return { ...person, grants: kept.map((held) => (held === same ? { ...held, projects } : held)) };
}

function mergePatterns(held: readonly string[], more: readonly string[]): string[] {
  const added = more.filter((pattern) => !isCovered(held, pattern));
  return [...held.filter((pattern) => !isCovered(added, pattern)), ...added];
}

function covers({ role, projects }: Grant, other: Grant): boolean {
  return includesRole(role, other.role) && other.projects.every((pattern) => isCovered(projects, pattern));
}

function isCovered(patterns: readonly string[], pattern: string): boolean {
  return patterns.some((other) => coversPattern(other, pattern));
}
