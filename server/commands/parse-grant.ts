import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { parseProjectPattern } from "../../shared/project/match-project.ts";
import { type Role, roleSchema } from "../../shared/protocol/schemas.ts";
import type { CommandOptions } from "../command.ts";
import type { Grant } from "../people/people-files.ts";

/**
 * The role and the projects that flags name; every project unless some are named.
 * @throws TeamMemoryError usage, bad_request
 */
export function parseGrant(values: CommandOptions["values"], roleUnlessNamed: Role): Grant {
  const projects = (values["project"] as readonly string[] | undefined) ?? ["*"];
  return {
    role: parseRole(values["role"] ?? roleUnlessNamed),
    projects: projects.map((text) => parseProjectPattern(text)),
  };
}

function parseRole(text: unknown): Role {
  const parsed = roleSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new TeamMemoryError(
    "usage",
    `Could not use the role ${JSON.stringify(text)}: one of ${roleSchema.options.join(", ")}`,
  );
}

/** A flag's text, or null where it is left out. */
export function textOf(values: CommandOptions["values"], flag: string): string | null {
  const value = values[flag];
  return typeof value === "string" ? value : null;
}
