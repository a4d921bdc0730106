import { join } from "node:path";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { LIMITS } from "../shared/limits.ts";
import { type ProjectName, parseProjectName } from "../shared/project/parse-project-name.ts";
import type { Role } from "../shared/protocol/schemas.ts";
import type { ClientEnvironment } from "./config.ts";
import { readSmallFile } from "./memory/read-small-file.ts";

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
}

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
 * Changes the file in one step, under a lock of its own: two joins at once both stay.
 *
 * @throws TeamMemoryError `settings_invalid` (nothing is changed), `disk`, `busy`
 */
export async function updateUserConfig(
  env: ClientEnvironment,
  change: (config: UserConfig) => UserConfig,
): Promise<UserConfig> {
  // On demand: a session's start reads this file and never writes it.
  const { updateFile } = await import("./install/update-file.ts");
  const path = userConfigPath(env);
  let changed = EMPTY_USER_CONFIG;
  await updateFile(path, { mode: 0o600, folderMode: 0o700 }, (bytes) => {
    changed = change(bytes === null ? EMPTY_USER_CONFIG : parseUserConfig(bytes.toString("utf8"), path));
    return `${JSON.stringify(changed, null, 2)}\n`;
  });
  return changed;
}

/** @throws TeamMemoryError `settings_invalid`; the text itself is never in the message, for it holds tokens */
export function parseUserConfig(text: string, path: string): UserConfig {
  const root = asRecord(parseJson(text, path), "the file", path);
  if (root["format"] !== 1) throw toInvalid("format is not 1, so another version of team-memory wrote it", path);
  return {
    format: 1,
    services: asList(root["services"], "services", path).map((item) => parseService(item, path)),
    projects: asList(root["projects"], "projects", path).map((item) => {
      const entry = asRecord(item, "projects", path);
      return { project: asProject(entry["project"], path), service: asText(entry["service"], "service", path) };
    }),
    roots: asList(root["roots"], "roots", path).map((item) => {
      const entry = asRecord(item, "roots", path);
      return { root: asText(entry["root"], "root", path), project: asProject(entry["project"], path) };
    }),
  };
}

const ROLES: readonly Role[] = ["reader", "contributor", "reviewer", "admin"];

function parseService(item: unknown, path: string): JoinedService {
  const entry = asRecord(item, "services", path);
  const role = ROLES.find((known) => known === entry["role"]);
  if (role === undefined) throw toInvalid("role is none of ours", path);
  const text = (field: string) => asText(entry[field], field, path);
  return {
    url: text("url"),
    token: text("token"),
    personId: text("personId"),
    name: text("name"),
    email: text("email"),
    role,
    insecure: entry["insecure"] === true,
  };
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw toInvalid("it is not JSON", path);
  }
}

function asRecord(value: unknown, what: string, path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw toInvalid(`${what} should be an object`, path);
  }
  return value as Readonly<Record<string, unknown>>;
}

function asList(value: unknown, what: string, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw toInvalid(`${what} should be a list`, path);
  return value;
}

function asText(value: unknown, what: string, path: string): string {
  if (typeof value !== "string") throw toInvalid(`${what} should be text`, path);
  return value;
}

function asProject(value: unknown, path: string): ProjectName {
  try {
    return parseProjectName(value);
  } catch (cause) {
    throw toInvalid("project is no project's name", path, cause);
  }
}

function toInvalid(why: string, path: string, cause?: unknown): TeamMemoryError {
  return new TeamMemoryError("settings_invalid", `Could not read team-memory's own settings, ${why}: ${path}`, {
    details: { file: path },
    cause,
  });
}
