import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { assertNoSecretFields } from "../../shared/secret/assert-no-secret-fields.ts";
import type { StateChange } from "../state/state-files.ts";
import { findByEmail } from "./claims.ts";
import type { InviteRecord, PeopleState, PersonRecord } from "./people-files.ts";
import { withPerson } from "./plan-redeem.ts";
import { personById } from "./plan-tokens.ts";

export interface InvitesWish {
  /** Alike but for ids, hashes and times. */
  readonly invites: readonly InviteRecord[];
  /** Whom they are for, said by their id: in place of an address. Null: whoever has the address, or anybody. */
  readonly personId: string | null;
  readonly now: Date;
}

/**
 * Adds invites. Expired ones leave on the way, and the service's start replaces what its last start printed.
 * An invite for an address lets its holder be whoever has that address. Where that person merely said so when joining, it
 * is theirs only once the admin names the person: else what is meant for one would go to another who said it first.
 * @returns the person whom they are for, if there is one already
 * @throws TeamMemoryError not_found, bad_request, secret_found, too_large
 */
export function planInvites(state: PeopleState, wish: InvitesWish): StateChange<PeopleState, PersonRecord | null> {
  const { now, personId } = wish;
  const [first] = wish.invites;
  const person = personId === null ? findVouched(state, first?.email ?? null) : personById(state, personId);
  const added = person === null ? wish.invites : wish.invites.map((invite) => ({ ...invite, email: person.email }));
  for (const { name, email, grant } of added) assertNoSecretFields({ name, email, project: grant.projects.join("\n") });
  const replacesStart = added.some(({ origin }) => origin === "start");
  const kept = state.invites.invites
    .filter(({ expiresAt }) => expiresAt > now.toISOString())
    .filter(({ origin }) => !(replacesStart && origin === "start"));
  const invites = [...kept, ...added];
  if (invites.length > LIMITS.invitesMax) {
    const message = `Could not add invites: ${invites.length} would be open, and ${LIMITS.invitesMax} is the bound`;
    throw new TeamMemoryError("too_large", message);
  }
  const vouched = person === null ? state : withPerson(state, { ...person, emailVouched: true });
  return { value: { ...vouched, invites: { ...state.invites, invites } }, result: person };
}

function findVouched(state: PeopleState, email: string | null): PersonRecord | null {
  const person = email === null ? undefined : findByEmail(state, email);
  if (person === undefined || person.emailVouched === true) return person ?? null;
  const message = `Could not invite ${email}: ${person.name} said when joining that it is theirs; if so, name them: --person ${person.id}`;
  throw new TeamMemoryError("bad_request", message, { details: { field: "email" } });
}
