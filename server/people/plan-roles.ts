import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Role } from "../../shared/protocol/schemas.ts";
import { assertNoSecretFields } from "../../shared/secret/assert-no-secret-fields.ts";
import type { StateChange } from "../state/state-files.ts";
import { findByEmail } from "./claims.ts";
import type { Grant, PeopleState, PersonRecord } from "./people-files.ts";
import { withPerson } from "./plan-redeem.ts";
import { personById } from "./plan-tokens.ts";
import { hasAdmin } from "./roles.ts";
import { withGrant } from "./with-grant.ts";

/** One role of a person; of all its projects where `projects` is null. */
export interface HeldRole {
  readonly role: Role;
  readonly projects: readonly string[] | null;
}

/** `whom`: an id or an address. @throws TeamMemoryError not_found, secret_found */
export function planGrant(state: PeopleState, whom: string, grant: Grant): StateChange<PeopleState, PersonRecord> {
  assertNoSecretFields({ project: grant.projects.join("\n") });
  const person = withGrant(findPerson(state, whom), grant);
  return { value: withPerson(state, person), result: person };
}

/** @throws TeamMemoryError not_found for a role or project that they do not have, bad_request for the last admin's */
export function planTake(state: PeopleState, whom: string, taken: HeldRole): StateChange<PeopleState, PersonRecord> {
  const held = findPerson(state, whom);
  const grants = held.grants.flatMap((grant) => withoutProjects(grant, taken));
  if (countProjects(grants) === countProjects(held.grants) || !hasAll(held, taken)) throw toNotHeld(held, taken);
  const person = { ...held, grants };
  const value = withPerson(state, person);
  assertAdminLeft(state, value, held);
  return { value, result: person };
}

/**
 * The person with tokens and roles, and the open invites that would make them the same person again.
 * @throws TeamMemoryError not_found, bad_request for the last admin
 */
export function planRemovePerson(state: PeopleState, whom: string): StateChange<PeopleState, PersonRecord> {
  const person = findPerson(state, whom);
  const value = {
    people: { ...state.people, people: state.people.people.filter(({ id }) => id !== person.id) },
    tokens: { ...state.tokens, tokens: state.tokens.tokens.filter(({ personId }) => personId !== person.id) },
    invites: { ...state.invites, invites: state.invites.invites.filter(({ email }) => !isOf(state, email, person)) },
  };
  assertAdminLeft(state, value, person);
  return { value, result: person };
}

function findPerson(state: PeopleState, whom: string): PersonRecord {
  return (whom.includes("@") ? findByEmail(state, whom) : undefined) ?? personById(state, whom);
}

function isOf(state: PeopleState, email: string | null, person: PersonRecord): boolean {
  return email !== null && findByEmail(state, email)?.id === person.id;
}

function withoutProjects(grant: Grant, { role, projects }: HeldRole): readonly Grant[] {
  if (grant.role !== role) return [grant];
  const kept = projects === null ? [] : grant.projects.filter((project) => !projects.includes(project));
  return kept.length === 0 ? [] : [{ ...grant, projects: kept }];
}

/** A pattern that nobody was given takes nothing away: it was mistyped. */
function hasAll({ grants }: PersonRecord, { role, projects }: HeldRole): boolean {
  const held = grants.filter((grant) => grant.role === role).flatMap((grant) => grant.projects);
  return (projects ?? []).every((project) => held.includes(project));
}

function countProjects(grants: readonly Grant[]): number {
  return grants.reduce((sum, { projects }) => sum + projects.length, 0);
}

function toNotHeld({ name, grants }: PersonRecord, { role, projects }: HeldRole): TeamMemoryError {
  const wanted = projects === null ? role : toGrantWords({ role, projects: [...projects] });
  const has = grants.map(toGrantWords).join("; ");
  return new TeamMemoryError("not_found", `Could not take ${wanted} from ${name}, who has ${has || "no role"}`);
}

export function toGrantWords({ role, projects }: Grant): string {
  return `${role} on ${projects.join(", ")}`;
}

/** A team without an admin would be given a new one by the next start, who is nobody. */
function assertAdminLeft(before: PeopleState, after: PeopleState, person: PersonRecord): void {
  if (!hasAdmin(before.people.people) || hasAdmin(after.people.people)) return;
  throw new TeamMemoryError("bad_request", `Could not take the last admin, ${person.name}: make another one first`);
}
