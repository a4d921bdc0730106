import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { assertNoSecretFields } from "../../shared/secret/assert-no-secret-fields.ts";
import type { StateChange } from "../state/state-files.ts";
import { findByEmail } from "./claims.ts";
import type { Grant, PeopleState, PersonRecord, TokenRecord } from "./people-files.ts";
import { addToken, withPerson } from "./plan-redeem.ts";
import { hasAdmin } from "./roles.ts";
import { withGrant } from "./with-grant.ts";

/** A token for a person whom an admin names, by id or as somebody new; `grant` null gives no further role. */
export interface TokenWish {
  readonly person: { readonly id: string } | { readonly new: Omit<PersonRecord, "grants"> };
  readonly grant: Grant | null;
  readonly token: Omit<TokenRecord, "personId">;
}

/** @throws TeamMemoryError not_found, bad_request for somebody new with another's address, secret_found, too_large */
export function planToken(state: PeopleState, wish: TokenWish): StateChange<PeopleState, PersonRecord> {
  const found = "new" in wish.person ? newPerson(state, wish.person.new) : personById(state, wish.person.id);
  const { name, email } = found;
  assertNoSecretFields({ name, email, machine: wish.token.machine, project: wish.grant?.projects.join("\n") });
  const person = wish.grant === null ? found : withGrant(found, wish.grant);
  return { value: addToken(withPerson(state, person), { ...wish.token, personId: person.id }), result: person };
}

function newPerson(state: PeopleState, said: Omit<PersonRecord, "grants">): PersonRecord {
  const other = findByEmail(state, said.email);
  if (other === undefined) return { ...said, emailVouched: true, grants: [] };
  const message = `Could not make a person with the address ${said.email}: ${other.name} has it; to mean them: --person ${other.id}`;
  throw new TeamMemoryError("bad_request", message, { details: { field: "email" } });
}

/** @throws TeamMemoryError not_found */
export function personById(state: PeopleState, id: string): PersonRecord {
  const person = state.people.people.find((other) => other.id === id);
  if (person === undefined) throw new TeamMemoryError("not_found", `Could not find the person ${id}`);
  return person;
}

/**
 * Takes back a token or an invite by its id.
 * @throws TeamMemoryError not_found
 */
export function planRevoke(state: PeopleState, id: string): StateChange<PeopleState, "token" | "invite"> {
  const tokens = state.tokens.tokens.filter((token) => token.id !== id);
  if (tokens.length < state.tokens.tokens.length)
    return { value: { ...state, tokens: { ...state.tokens, tokens } }, result: "token" };
  const invites = state.invites.invites.filter((invite) => invite.id !== id);
  if (invites.length < state.invites.invites.length)
    return { value: { ...state, invites: { ...state.invites, invites } }, result: "invite" };
  throw new TeamMemoryError("not_found", `Could not find a token or invite ${id}`);
}

/** The first admin of an empty team; null where there is one, whoever made it. */
export function planFirstAdmin(state: PeopleState, wish: TokenWish): StateChange<PeopleState, PersonRecord | null> {
  return hasAdmin(state.people.people) ? { value: state, result: null } : planToken(state, wish);
}
