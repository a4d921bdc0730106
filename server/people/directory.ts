/**
 * Who a token belongs to, answered from memory: a request costs one look into a map. Built anew when the state files
 * change, by whichever process.
 */
import { LIMITS } from "../../shared/limits.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { Role } from "../../shared/protocol/schemas.ts";
import type { StateFiles } from "../state/state-files.ts";
import { PEOPLE_FILES, type PeopleState, type PersonRecord } from "./people-files.ts";
import { roleOn, roleOnAll } from "./roles.ts";

/** Who asks, as every route sees them. */
export interface Principal {
  readonly tokenId: string;
  readonly person: Pick<PersonRecord, "id" | "name" | "email">;
  /** Null: this project does not exist for them. */
  roleOn(project: ProjectName): Role | null;
  readonly roleOnAll: Role | null;
}

interface Directory {
  principal(tokenHash: string): Principal | null;
  /** Principals by tokens that were right before: no more of them than there are tokens. */
  readonly recalled: Map<string, Principal>;
  isOf(files: PeopleState): boolean;
}

/** The directory as last read, looked at again when it is older than the bound. Requests at once share one look. */
export function cacheDirectory(state: StateFiles) {
  let last: Directory | null = null;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let validFromMs = Number.NEGATIVE_INFINITY;
  let pending: Promise<Directory> | null = null;

  const look = async (): Promise<Directory> => {
    const startedAtMs = performance.now();
    const files = await state.readTogether(PEOPLE_FILES);
    if (!last?.isOf(files)) last = buildDirectory(files);
    checkedAtMs = startedAtMs;
    return last;
  };
  const reread = (): Promise<Directory> => {
    pending ??= look().finally(() => {
      pending = null;
    });
    return pending;
  };
  const isFresh = () => checkedAtMs >= validFromMs && performance.now() - checkedAtMs < LIMITS.peopleRecheckMs;
  const recall = (): Directory | null => (last !== null && isFresh() ? last : null);
  return {
    /** Without a look; null where one is due. */
    recall,
    read: async () => recall() ?? reread(),
    reread,
    /** After a write of our own: no look that began before it counts. */
    forget: () => {
      validFromMs = performance.now();
      pending = null;
    },
  };
}

function buildDirectory(files: PeopleState): Directory {
  const people = new Map(files.people.people.map((person) => [person.id, person]));
  const principals = new Map<string, Principal>();
  for (const { id, personId, hash } of files.tokens.tokens) {
    const person = people.get(personId);
    if (person !== undefined) principals.set(hash, toPrincipal(id, person));
  }
  return {
    principal: (tokenHash) => principals.get(tokenHash) ?? null,
    recalled: new Map(),
    isOf: ({ people: others, tokens }) => others === files.people && tokens === files.tokens,
  };
}

function toPrincipal(tokenId: string, { id, name, email, grants }: PersonRecord): Principal {
  const roles = new Map<ProjectName, Role | null>();
  return {
    tokenId,
    person: { id, name, email },
    roleOn: (project) => {
      const known = roles.get(project);
      if (known !== undefined) return known;
      // Names come from addresses: a flood of invented ones must not fill the memory.
      if (roles.size >= LIMITS.projectsMax) roles.clear();
      const role = roleOn(grants, project);
      roles.set(project, role);
      return role;
    },
    roleOnAll: roleOnAll(grants),
  };
}
