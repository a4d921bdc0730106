import { EXIT } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Command, CommandOptions } from "../command.ts";
import { type Config, readConfig } from "../config.ts";
import { readRunningUrl } from "../data-folder.ts";
import type { Invited } from "../people/open-people.ts";
import { parseEmail, parsePersonName } from "../people/parse-person.ts";
import type { Grant } from "../people/people-files.ts";
import { toGrantWords } from "../people/plan-roles.ts";
import { toJoinLine, toJoinLink, toPublicUrl } from "../public-url.ts";
import { assertDataFolder, openFolder } from "./open-folder.ts";
import { parseGrant, textOf } from "./parse-grant.ts";

/** Works beside a running service, and takes the address from it. */
export const invite: Command = async ({ values }, io) => {
  const config = readConfig(values);
  const grant = parseGrant(values, "contributor");
  const name = textOf(values, "name");
  const email = textOf(values, "email");
  if (email !== null && values["person"] !== undefined)
    throw new TeamMemoryError("usage", "Could not tell whom to invite: --person or --email, not both");
  const wish = {
    grant,
    name: name === null ? null : parsePersonName(name),
    email: email === null ? null : parseEmail(email),
    personId: textOf(values, "person"),
    origin: "admin" as const,
  };
  const count = parseCount(values);
  await assertDataFolder(config);
  const { people } = await openFolder(config);
  const invited = await people.createInvites(wish, count);
  const url = await findPublicUrl(config);
  io.result(
    {
      ...grant,
      invites: invited.map(({ id, code, expiresAt }) => ({
        id,
        link: toJoinLink(url, code),
        command: toJoinLine(url, code),
        expiresAt,
      })),
    },
    invited.map(({ code }) => toJoinLine(url, code)),
  );
  if (!io.json) for (const line of [toTerms(grant, invited), ...describePerson(invited)]) io.err(line);
  return EXIT.ok;
};

/** Beside the lines, which can so be piped on. */
function toTerms(grant: Grant, invited: readonly Invited[]): string {
  const whom = invited.length === 1 ? "Lets one person in, once" : `Each of ${invited.length} lets one person in, once`;
  return `${whom}, as ${toGrantWords(grant)}, until ${invited[0]?.expiresAt ?? ""}`;
}

/** Whom a link makes no new person of is said: an address may be meant for somebody else. */
function describePerson([first]: readonly Invited[]): readonly string[] {
  const { person = null } = first ?? {};
  return person === null
    ? []
    : [`For ${person.name} <${person.email}>, person ${person.id}: they get this role besides`];
}

function parseCount(values: CommandOptions["values"]): number {
  const text = textOf(values, "count") ?? "1";
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= LIMITS.invitesMax) return count;
  throw new TeamMemoryError("usage", `Could not make ${JSON.stringify(text)} invites: from 1 to ${LIMITS.invitesMax}`);
}

async function findPublicUrl(config: Config): Promise<string> {
  if (config.publicUrl !== null) return config.publicUrl;
  return (await readRunningUrl(config.dataFolder)) ?? config.lastUrl ?? toPublicUrl(config, config.port);
}
