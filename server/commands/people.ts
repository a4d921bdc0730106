import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { CommandOptions } from "../command.ts";
import { PEOPLE_FILES, type PeopleState, type PersonRecord } from "../people/people-files.ts";
import { planGrant, planRemovePerson, planTake, toGrantWords } from "../people/plan-roles.ts";
import type { StateChange } from "../state/state-files.ts";
import { parseGrant } from "./parse-grant.ts";
import { type Action, toCommand } from "./to-command.ts";

/** A running service notices within a second. */
export const people = toCommand({
  list: async ({ state }, _options, io) => {
    const { people: persons } = await state.read(PEOPLE_FILES.people);
    io.result({ people: persons }, persons.map(toLine));
  },

  grant: changePerson((before, whom, { values }) => planGrant(before, whom, parseGrant(values, "contributor")), toLine),

  take: changePerson((before, whom, { values }) => {
    if (values["role"] === undefined) throw new TeamMemoryError("usage", "Missing for people take: --role");
    const { role, projects } = parseGrant(values, "contributor");
    return planTake(before, whom, { role, projects: values["project"] === undefined ? null : projects });
  }, toLine),

  remove: changePerson(planRemovePerson, ({ name }) => `Removed ${name}, with tokens, roles and open invites`),
});

type Plan = (before: PeopleState, whom: string, options: CommandOptions) => StateChange<PeopleState, PersonRecord>;

function changePerson(plan: Plan, toWords: (person: PersonRecord) => string): Action {
  return async ({ state }, options, io) => {
    const [action, whom] = options.positionals;
    if (whom === undefined) throw new TeamMemoryError("usage", `Missing for people ${action}: PERSON`);
    const person = await state.updateTogether(PEOPLE_FILES, (before) => plan(before, whom, options));
    io.result({ person }, [toWords(person)]);
  };
}

function toLine({ id, name, email, grants }: PersonRecord): string {
  return `${name} <${email}>  person ${id}  ${grants.map(toGrantWords).join("; ") || "no role"}`;
}
