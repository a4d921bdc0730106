import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { JoinRequest } from "../../shared/protocol/schemas.ts";
import { assertNoSecretFields } from "../../shared/secret/assert-no-secret-fields.ts";
import type { StateChange } from "../state/state-files.ts";
import { equalHashes } from "./credentials.ts";
import { parseEmail, parsePersonName } from "./parse-person.ts";
import type { Grant, InviteRecord, PeopleState, PersonRecord, TokenRecord } from "./people-files.ts";
import { roleOn } from "./roles.ts";

export interface Redeem {
  readonly inviteHash: string;
  /** Of the token that the caller has already; null: none. */
  readonly callerHash: string | null;
  readonly request: Omit<JoinRequest, "code" | "projects">;
  /** What it is for; null: the caller did not say. */
  readonly projects: readonly ProjectName[] | null;
  /** Ids and hash made by the caller, so that this stays pure. */
  readonly personId: string;
  readonly token: { readonly id: string; readonly hash: string };
  readonly now: Date;
}

export interface Redeemed {
  readonly person: PersonRecord;
  readonly grant: Grant;
  /** The person is the caller, and the token that they have goes on: no further one was added. */
  readonly isCaller: boolean;
}

/**
 * An invite becomes a person and a token, and is gone. Two things lead to a person who exists already: an address that
 * the invite itself names, and the caller's own token where the invite is for anybody; whoever joins again stays who
 * they are, and their proposals theirs. An address that the caller merely claims would hand out that person's roles.
 * @throws TeamMemoryError invite_invalid (unknown, used and expired look the same), invite_elsewhere, secret_found,
 *   bad_request, too_large
 */
export function planRedeem(state: PeopleState, redeem: Redeem): StateChange<PeopleState, Redeemed> {
  const invite = findOpenInvite(state, redeem.inviteHash, redeem.now);
  if (invite === null) throw inviteInvalid();
  assertIsFor(invite.grant, redeem.projects);
  const { name, email, machine } = redeem.request;
  assertNoSecretFields({ name, email, machine });
  const callerId = findHolder(state, redeem.callerHash);
  const known = state.people.people.find((person) =>
    invite.email === null ? person.id === callerId : isNamedBy(invite, person),
  );
  const person = known ? withGrant(known, invite.grant) : newPerson(invite, redeem);
  const isCaller = person.id === callerId;
  const joined = withPerson(state, person);
  const rest = state.invites.invites.filter((other) => other !== invite);
  const value = {
    ...(isCaller ? joined : addToken(joined, toTokenRecord(person, redeem))),
    invites: { ...state.invites, invites: rest },
  };
  return { value, result: { person, grant: invite.grant, isCaller } };
}

/** The invite that a code of this hash would use up; null: it would let nobody in. */
export function findOpenInvite({ invites }: PeopleState, inviteHash: string, now: Date): InviteRecord | null {
  const invite = invites.invites.find(({ hash }) => equalHashes(hash, inviteHash));
  return invite === undefined || invite.expiresAt <= now.toISOString() ? null : invite;
}

function findHolder({ tokens }: PeopleState, tokenHash: string | null): string | null {
  if (tokenHash === null) return null;
  return tokens.tokens.find(({ hash }) => equalHashes(hash, tokenHash))?.personId ?? null;
}

function inviteInvalid(): TeamMemoryError {
  return new TeamMemoryError("invite_invalid", "Could not join: the invite is unknown, used or expired");
}

/** Whoever stands in the wrong clone has lost nothing: the code has shown them what it is for, and lets them in there. */
function assertIsFor(grant: Grant, projects: readonly ProjectName[] | null): void {
  if (projects === null || projects.some((project) => roleOn([grant], project) !== null)) return;
  const message = `Could not join ${projects.join(" or ")}: the invite is for ${grant.projects.join(", ")}`;
  throw new TeamMemoryError("invite_elsewhere", message, { details: { projects: grant.projects } });
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
