import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { foldKey } from "../../shared/path/key-set.ts";
import { toLatin } from "../../shared/secret/lookalikes.ts";
import type { PeopleState, PersonRecord } from "./people-files.ts";

/** What people say of themselves, parsed; null: nothing, or what an admin says counts. */
export interface Claim {
  readonly name: string | null;
  readonly email: string | null;
}

/** What a person is called who has said no name. It is nobody's, so several may have it. */
export const NAMELESS = "Teammate";

interface Claimant {
  /** Null: somebody new. */
  readonly personId: string | null;
  readonly inviteId: string;
  readonly now: Date;
}

/**
 * Attack: an open invite and an admin's name or address, and proposals look like theirs; or the address of somebody who
 * is invited already and has not come yet, and their roles go to the claimer.
 * @throws TeamMemoryError identity_taken with `details.field`
 */
export function assertUnclaimed(state: PeopleState, { name, email }: Claim, claimant: Claimant): void {
  const others = listOthers(state, claimant);
  if (email !== null && others.some((other) => other.email !== null && isSameEmail(other.email, email)))
    throw taken("email", email);
  if (name !== null && name !== NAMELESS && others.some((other) => other.name !== null && looksSame(other.name, name)))
    throw taken("name", name);
}

function listOthers({ people, invites }: PeopleState, { personId, inviteId, now }: Claimant): readonly Claim[] {
  const open = invites.invites.filter(({ expiresAt }) => expiresAt > now.toISOString());
  return [...people.people.filter(({ id }) => id !== personId), ...open.filter(({ id }) => id !== inviteId)];
}

export function findByEmail({ people }: PeopleState, email: string): PersonRecord | undefined {
  return people.people.find((person) => isSameEmail(person.email, email));
}

function isSameEmail(one: string, other: string): boolean {
  return foldKey(one) === foldKey(other);
}

/** To who reads it in a list: case, spaces and letters of other scripts that are drawn alike make no other name. */
function looksSame(one: string, other: string): boolean {
  return toDrawn(one) === toDrawn(other);
}

function toDrawn(name: string): string {
  return foldKey(Array.from(name.replace(/\s+/gu, " "), toLatin).join(""));
}

function taken(field: keyof Claim, value: string): TeamMemoryError {
  const words = { name: "the name", email: "the address" }[field];
  return new TeamMemoryError("identity_taken", `Could not join with ${words} ${value}: somebody else has it here`, {
    details: { field },
  });
}
