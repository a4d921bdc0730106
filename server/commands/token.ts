import { ulid } from "ulid";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { CommandOptions } from "../command.ts";
import { parseEmail, parsePersonName } from "../people/parse-person.ts";
import type { Grant } from "../people/people-files.ts";
import { toGrantWords } from "../people/plan-roles.ts";
import type { TokenWish } from "../people/plan-tokens.ts";
import { parseGrant, textOf } from "./parse-grant.ts";
import { toCommand } from "./to-command.ts";

/** A running service notices within a second. */
export const token = toCommand({
  create: async ({ people }, { values }, io) => {
    const wish = { person: parsePerson(values), grant: parseOptionalGrant(values) };
    const issued = await people.createToken(wish, textOf(values, "machine") ?? "");
    io.result(issued, [issued.token]);
    if (!io.json) io.err(`Shown once. Token ${issued.id} of ${issued.person.name}, person ${issued.person.id}`);
  },

  list: async ({ people }, _options, io) => {
    const { people: persons, tokens, invites } = await people.list();
    const listed = {
      people: persons.people.map((person) => ({
        ...person,
        tokens: tokens.tokens
          .filter(({ personId }) => personId === person.id)
          .map(({ hash: _hash, ...token }) => token),
      })),
      invites: invites.invites.map(({ hash: _hash, ...invite }) => invite),
    };
    io.result(listed, [
      ...listed.people.flatMap(({ id, name, email, grants, tokens: held }) => [
        `${name} <${email}>  person ${id}  ${grants.map(toGrantWords).join("; ")}`,
        ...held.map((one) => `  token ${one.id}  ${one.createdAt}  ${one.machine}`),
      ]),
      ...listed.invites.map(
        ({ id, grant, expiresAt, name }) =>
          `open invite ${id}  ${toGrantWords(grant)}  until ${expiresAt}${name === null ? "" : `  for ${name}`}`,
      ),
    ]);
  },

  revoke: async ({ people }, { positionals }, io) => {
    const [, id] = positionals;
    if (id === undefined) throw new TeamMemoryError("usage", "Missing for token revoke: ID");
    const kind = await people.revoke(id);
    io.result({ id, kind }, [`Revoked the ${kind} ${id}`]);
  },
});

function parsePerson(values: CommandOptions["values"]): TokenWish["person"] {
  const id = textOf(values, "person");
  if (id !== null) return { id };
  const [name, email] = [textOf(values, "name"), textOf(values, "email")];
  if (name === null || email === null)
    throw new TeamMemoryError("usage", "Could not tell whose token: name --person, or --name and --email");
  const createdAt = new Date().toISOString();
  return { new: { id: ulid(), name: parsePersonName(name), email: parseEmail(email), createdAt } };
}

/** Somebody who is known keeps their roles unless one is named. */
function parseOptionalGrant(values: CommandOptions["values"]): Grant | null {
  return textOf(values, "person") !== null && values["role"] === undefined ? null : parseGrant(values, "contributor");
}
