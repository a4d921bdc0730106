import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { JoinRequest, Role } from "../../shared/protocol/schemas.ts";
import { assertNoSecretFields } from "../../shared/secret/assert-no-secret-fields.ts";
import type { StateChange } from "../state/state-files.ts";
import { assertUnclaimed, type Claim, findByEmail, NAMELESS } from "./claims.ts";
import { equalHashes } from "./credentials.ts";
import { parseEmail, parsePersonName } from "./parse-person.ts";
import type { Grant, InviteRecord, PeopleState, PersonRecord, TokenRecord } from "./people-files.ts";
import { highestRole, roleOn } from "./roles.ts";
import { withGrant } from "./with-grant.ts";

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
  /** What the invite gave. */
  readonly grant: Grant;
  /** What the person is now where they join, other invites included. */
  readonly role: Role;
  /** The person is the caller, and the token that they have goes on: no further one was added. */
  readonly isCaller: boolean;
}

/**
 * An invite becomes a person and a token, and is gone. Two things lead to a person who exists already: an address that
 * the invite itself names, and the caller's own token where the invite is for anybody; whoever joins again stays who
 * they are, and their proposals theirs. An address that the caller merely claims would hand out that person's roles.
 * @throws TeamMemoryError invite_invalid (unknown, used and expired look the same), invite_elsewhere, identity_taken,
 *   secret_found, bad_request, too_large
 */
export function planRedeem(state: PeopleState, redeem: Redeem): StateChange<PeopleState, Redeemed> {
  const invite = findOpenInvite(state, redeem.inviteHash, redeem.now);
  if (invite === null) throw inviteInvalid();
  assertIsFor(invite.grant, redeem.projects);
  const { name, email, machine } = redeem.request;
  assertNoSecretFields({ name, email, machine });
  const callerId = findHolder(state, redeem.callerHash);
  const known = findKnown(state, invite, callerId);
  const claim = toClaim(
    invite,
    redeem,
    known === undefined || (known.id === callerId && redeem.request.rename === true),
  );
  assertUnclaimed(state, claim, { personId: known?.id ?? null, inviteId: invite.id, now: redeem.now });
  const person = withGrant(introduce(known ?? newPerson(invite, redeem), invite, claim), invite.grant);
  const isCaller = person.id === callerId;
  const joined = withPerson(state, person);
  const rest = state.invites.invites.filter((other) => other !== invite);
  const value = {
    ...(isCaller ? joined : addToken(joined, toTokenRecord(person, redeem))),
    invites: { ...state.invites, invites: rest },
  };
  const role = highestRole((redeem.projects ?? []).map((project) => roleOn(person.grants, project)));
  return { value, result: { person, grant: invite.grant, role: role ?? invite.grant.role, isCaller } };
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

/** Who has an address that an invite names was vouched for when it was made, and nobody can claim it since. */
function findKnown(state: PeopleState, { email }: InviteRecord, callerId: string | null): PersonRecord | undefined {
  return email === null ? state.people.people.find(({ id }) => id === callerId) : findByEmail(state, email);
}

/** What the request says of the person, as far as it counts and the invite does not say it. */
function toClaim(invite: InviteRecord, { request }: Redeem, counts: boolean): Claim {
  const { name, email } = counts ? request : {};
  return {
    name: invite.name === null && name !== undefined ? parsePersonName(name) : null,
    email: invite.email === null && email !== undefined ? parseEmail(email) : null,
  };
}

function newPerson({ email }: InviteRecord, { personId, now }: Redeem): PersonRecord {
  return {
    id: personId,
    name: NAMELESS,
    email: email ?? `${personId.toLowerCase()}@team-memory.invalid`,
    emailVouched: email !== null,
    grants: [],
    createdAt: now.toISOString(),
  };
}

function introduce(person: PersonRecord, invite: InviteRecord, claim: Claim): PersonRecord {
  const isNewEmail = claim.email !== null && claim.email !== person.email;
  return {
    ...person,
    name: invite.name ?? claim.name ?? person.name,
    ...(isNewEmail && { email: claim.email, emailVouched: false }),
  };
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
