import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { JoinRequest } from "../../shared/protocol/schemas.ts";
import type { StateChange } from "../state/state-files.ts";
import { equalHashes } from "./credentials.ts";
import { parseEmail, parsePersonName } from "./parse-person.ts";
import type { Grant, InviteRecord, PeopleState, PersonRecord, TokenRecord } from "./people-files.ts";

export interface Redeem {
  readonly inviteHash: string;
  readonly request: Omit<JoinRequest, "code">;
  /** Ids and hash made by the caller, so that this stays pure. */
  readonly personId: string;
  readonly token: { readonly id: string; readonly hash: string };
  readonly now: Date;
}

export interface Redeemed {
  readonly person: PersonRecord;
  readonly grant: Grant;
}

/**
 * An invite becomes a person and a token, and is gone. Only an address that the invite itself names leads to a person
 * who exists already: one that the caller merely claims would hand out that person's roles.
 * @throws TeamMemoryError invite_invalid (unknown, used and expired look the same), bad_request, too_large
 */
export function planRedeem(state: PeopleState, redeem: Redeem): StateChange<PeopleState, Redeemed> {
  const invite = state.invites.invites.find(({ hash }) => equalHashes(hash, redeem.inviteHash));
  if (invite === undefined || invite.expiresAt <= redeem.now.toISOString()) throw inviteInvalid();
  const known = state.people.people.find((person) => isNamedBy(invite, person));
  const person = known ? withGrant(known, invite.grant) : newPerson(invite, redeem);
  const rest = state.invites.invites.filter((other) => other !== invite);
  const value = {
    ...addToken(withPerson(state, person), toTokenRecord(person, redeem)),
    invites: { ...state.invites, invites: rest },
  };
  return { value, result: { person, grant: invite.grant } };
}

function inviteInvalid(): TeamMemoryError {
  return new TeamMemoryError("invite_invalid", "Could not join: the invite is unknown, used or expired");
}

function isNamedBy(invite: InviteRecord, person: PersonRecord): boolean {
  return invite.email !== null && invite.email.toLowerCase() === person.email.toLowerCase();
}

function newPerson(invite: InviteRecord, { request, personId, now }: Redeem): PersonRecord {
  const name = invite.name ?? request.name ?? "Teammate";
  const email = invite.email ?? request.email ?? `${personId.toLowerCase()}@team-memory.invalid`;
  return {
    id: personId,
    name: parsePersonName(name),
    email: parseEmail(email),
    grants: [invite.grant],
    createdAt: now.toISOString(),
  };
}

export function withGrant(person: PersonRecord, grant: Grant): PersonRecord {
  const same = person.grants.some((held) => JSON.stringify(held) === JSON.stringify(grant));
  return same ? person : { ...person, grants: [...person.grants, grant] };
}

/** Adds the person, or puts it in place of the record with its id. */
export function withPerson(state: PeopleState, person: PersonRecord): PeopleState {
  const others = state.people.people.filter(({ id }) => id !== person.id);
  return { ...state, people: { ...state.people, people: [...others, person] } };
}

function toTokenRecord(person: PersonRecord, { token, request, now }: Redeem): TokenRecord {
  return { ...token, personId: person.id, machine: request.machine ?? "", createdAt: now.toISOString() };
}

/** @throws TeamMemoryError too_large */
export function addToken(state: PeopleState, token: TokenRecord): PeopleState {
  const held = state.tokens.tokens.filter(({ personId }) => personId === token.personId).length;
  if (held >= LIMITS.tokensPerPersonMax) {
    const message = `Could not add a token: the person has ${held}, and ${LIMITS.tokensPerPersonMax} is the bound`;
    throw new TeamMemoryError("too_large", message, { details: { personId: token.personId } });
  }
  return { ...state, tokens: { ...state.tokens, tokens: [...state.tokens.tokens, token] } };
}
