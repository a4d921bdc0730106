import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { assertNoSecretFields } from "../../shared/secret/assert-no-secret-fields.ts";
import type { StateChange } from "../state/state-files.ts";
import type { InviteRecord, PeopleState } from "./people-files.ts";

/**
 * Adds invites. Expired ones leave on the way, and the service's start replaces what its last start printed.
 * @throws TeamMemoryError secret_found, too_large
 */
export function planInvites(
  state: PeopleState,
  added: readonly InviteRecord[],
  now: Date,
): StateChange<PeopleState, undefined> {
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
  return { value: { ...state, invites: { ...state.invites, invites } }, result: undefined };
}
