import { join } from "node:path";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { LIMITS } from "../shared/limits.ts";
import { type ProjectName, parseProjectName } from "../shared/project/parse-project-name.ts";
import type { Role } from "../shared/protocol/schemas.ts";
import type { ClientEnvironment } from "./config.ts";
import type { Update } from "./install/update-file.ts";
import { readSmallFile } from "./memory/read-small-file.ts";
import { asArray, asObject, asText, type JsonObject } from "./sync/json-shape.ts";

/**
 * What the user has joined, in one file of their own, mode 0600, for it holds the tokens. Read on the way of every
 * session's start: so it is parsed by hand, without a schema library.
 */
export interface UserConfig {
  readonly format: 1;
  readonly services: readonly JoinedService[];
  /** Which service holds a project; a project has one. */
  readonly projects: readonly { readonly project: ProjectName; readonly service: string }[];
  /** What the user has said a repository is about, by canonical root, over what its remotes say. */
  readonly roots: readonly { readonly root: string; readonly project: ProjectName }[];
  /** What the end of a turn does with changes: proposes them, where nothing is said, or asks the user to. */
  readonly propose?: Propose;
}

export type Propose = "ask" | "auto";

export interface JoinedService {
  /** No trailing slash. */
  readonly url: string;
  readonly token: string;
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** Plain http to another machine, as the user allowed when joining. */
  readonly insecure: boolean;
}

export const EMPTY_USER_CONFIG: UserConfig = { format: 1, services: [], projects: [], roots: [] };

export function userConfigPath(env: ClientEnvironment): string {
  return join(env.configDir, "config.json");
}

/**
 * @returns the empty one where nothing has been joined
 * @throws TeamMemoryError `settings_invalid` where it does not parse, `disk` where it cannot be read
 */
export function readUserConfig(env: ClientEnvironment): UserConfig {
  const path = userConfigPath(env);
  const text = readSmallFile(path, LIMITS.settingsFileSizeBytesMax);
  return text === null ? EMPTY_USER_CONFIG : parseUserConfig(text, path);
}

/**
 * Changes the file in one step, under a lock of its own: two joins at once both stay. With nothing joined there is no file.
 *
 * @throws TeamMemoryError `settings_invalid` (nothing is changed), `disk`, `busy`
 */
export async function updateUserConfig(
  env: ClientEnvironment,
  change: (config: UserConfig) => UserConfig,
): Promise<UserConfig> {
  // On demand: a session's start reads this file and never writes it.
  const { updateFile } = await import("./install/update-file.ts");
  return await changeWith(updateFile, env, change);
}

/** Throws what updateUserConfig would throw, and leaves everything as it is. */
export async function rehearseUserConfig(
  env: ClientEnvironment,
  change: (config: UserConfig) => UserConfig,
): Promise<UserConfig> {
  const { rehearseUpdate } = await import("./install/update-file.ts");
  return await changeWith(rehearseUpdate, env, change);
}

async function changeWith(
  update: Update,
  env: ClientEnvironment,
  change: (config: UserConfig) => UserConfig,
): Promise<UserConfig> {
  const path = userConfigPath(env);
  let changed = EMPTY_USER_CONFIG;
  await update(path, { mode: 0o600, folderMode: 0o700 }, (bytes) => {
    changed = change(bytes === null ? EMPTY_USER_CONFIG : parseUserConfig(bytes.toString("utf8"), path));
    return isEmpty(changed) ? null : `${JSON.stringify(changed, null, 2)}\n`;
  });
  return changed;
}

function isEmpty({ services, projects, roots }: UserConfig): boolean {
  return services.length + projects.length + roots.length === 0;
}

/** @throws TeamMemoryError `settings_invalid`; the text itself is never in the message, for it holds tokens */
export function parseUserConfig(text: string, path: string): UserConfig {
  try {
    return toUserConfig(asObject(JSON.parse(text)));
  } catch (error) {
    const why = error instanceof SyntaxError ? "not JSON" : (error as Error).message;
    throw new TeamMemoryError("settings_invalid", `Could not read team-memory's own settings (${why}): ${path}`, {
      details: { file: path },
    });
  }
}

function toUserConfig(json: JsonObject): UserConfig {
  if (json["format"] !== 1) throw new TypeError("another version of team-memory wrote them");
  return {
    format: 1,
    services: asList(json["services"]).map(toService),
    projects: asList(json["projects"]).map((entry) => ({
      project: parseProjectName(entry["project"]),
      service: asShortText(entry["service"]),
    })),
    roots: asList(json["roots"]).map((entry) => ({
      root: asShortText(entry["root"]),
      project: parseProjectName(entry["project"]),
    })),
    ...(json["propose"] === undefined ? {} : { propose: asPropose(json["propose"]) }),
  };
}

function asPropose(value: unknown): Propose {
  if (value === "ask" || value === "auto") return value;
  throw new TypeError('"propose" is neither ask nor auto');
}

function toService(entry: JsonObject): JoinedService {
  return {
    url: asShortText(entry["url"]),
    token: asShortText(entry["token"]),
    personId: asShortText(entry["personId"]),
    name: asShortText(entry["name"]),
    email: asShortText(entry["email"]),
    role: asRole(entry["role"]),
    insecure: entry["insecure"] === true,
  };
}

const ROLES: readonly Role[] = ["reader", "contributor", "reviewer", "admin"];

/** @throws TypeError */
export function asRole(value: unknown): Role {
  const role = ROLES.find((known) => known === value);
  if (role === undefined) throw new TypeError("a role that is none of ours");
  return role;
}

function asList(value: unknown): readonly JsonObject[] {
  return asArray(value, LIMITS.joinedMax).map(asObject);
}

function asShortText(value: unknown): string {
  return asText(value, LIMITS.joinedTextLengthMax);
}
