import { rmdir } from "node:fs/promises";
import { EXIT } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { parseProjectName } from "../../shared/project/parse-project-name.ts";
import type { CommandOptions } from "../command.ts";
import type { ClientEnvironment } from "../config.ts";
import { countOf } from "../count-of.ts";
import { type Forgotten, forgetPlace } from "../install/forget-place.ts";
import { removeClient } from "../install/install-client.ts";
import { removeHooks } from "../install/install-hooks.ts";
import { listPlaces, type Place } from "../install/list-places.ts";
import type { Io } from "../io.ts";
import { locate } from "../memory/locate.ts";
import { readUserConfig, type UserConfig, updateUserConfig } from "../user-config.ts";

/**
 * Undoes join, for this project or for all; for the machine, as join is: every clone of a project that was joined takes
 * part by itself, so leaving in one of them alone would last until its next session. Each place is named. First the
 * project is forgotten, so that no session that starts meanwhile pulls it anew; then its files and state go; with the
 * last project the hook and the installed client. A run that was stopped is finished by the next.
 */
export async function leave(options: CommandOptions, io: Io): Promise<number> {
  const { env } = options;
  const leaving = findLeaving(options);
  const before = readUserConfig(env);
  const after = await updateUserConfig(env, (config) => withoutProjects(config, leaving.isLeft));
  const forgotten: Forgotten[] = [];
  for (const place of leaving.places) {
    io.progress(`Removing the team's memories from ${place.memoryDir ?? place.stateFolder} …`);
    forgotten.push(await forgetPlace(place));
  }
  const undone = after.projects.length === 0 ? await removeInstallation(env) : NOTHING_UNDONE;
  report(io, { before, after, forgotten, undone });
  return EXIT.ok;
}

interface Leaving {
  readonly isLeft: (project: string) => boolean;
  readonly places: readonly Place[];
}

/**
 * @throws TeamMemoryError `no_project`, `not_joined` where there is nothing to leave while other projects stay;
 *   `steered_environment`, `ambiguous_project`
 */
function findLeaving({ env, cwd, values }: CommandOptions): Leaving {
  const isAll = values["all"] === true;
  const said = typeof values["project"] === "string" ? parseProjectName(values["project"]) : isAll ? null : undefined;
  // Also where all is left, or a project by name: the guard stands before everything.
  const located = locate({ cwd, env, ...(said === undefined ? {} : { project: said }) });
  const places = listPlaces(env, [located.memoryDir]);
  const config = readUserConfig(env);
  if (isAll || config.projects.length === 0) return { isLeft: () => true, places };
  const { project, stateFolder } = located;
  const joined = config.projects.map((entry) => entry.project);
  if (project === null) throw refuse("no_project", "Nothing says what project this folder is about", joined);
  const isLeft = (other: string) => other === project;
  const left = places.filter((place) => isPlaceOf(place, { isLeft, stateFolder }));
  if (left.length === 0 && !joined.some(isLeft))
    throw refuse("not_joined", `This machine has not joined ${project}`, joined);
  return { isLeft, places: left };
}

function refuse(code: "no_project" | "not_joined", message: string, joined: readonly string[]): TeamMemoryError {
  const usage = `Say which: team-memory leave --project NAME, or --all; joined here: ${joined.join(", ")}`;
  return new TeamMemoryError(code, message, { details: { usage } });
}

/** State that no longer says whose it is counts for the project of the folder that it belongs to. */
function isPlaceOf(place: Place, here: { isLeft: Leaving["isLeft"]; stateFolder: string }): boolean {
  return place.head === null ? place.stateFolder === here.stateFolder : here.isLeft(place.head.project);
}

/** A service goes with its last project, and its token with it. */
function withoutProjects(config: UserConfig, isLeft: Leaving["isLeft"]): UserConfig {
  const projects = config.projects.filter(({ project }) => !isLeft(project));
  const isHolding = (url: string, entries: UserConfig["projects"]) => entries.some(({ service }) => service === url);
  const isDone = (url: string) => projects.length === 0 || isHolding(url, config.projects);
  return {
    ...config,
    projects,
    services: config.services.filter(({ url }) => isHolding(url, projects) || !isDone(url)),
    roots: config.roots.filter(({ project }) => !isLeft(project)),
  };
}

interface Undone {
  readonly settingsFiles: readonly string[];
  readonly isClientRemoved: boolean;
}

const NOTHING_UNDONE: Undone = { settingsFiles: [], isClientRemoved: false };

async function removeInstallation(env: ClientEnvironment): Promise<Undone> {
  const settingsFiles = await removeHooks(env);
  const isClientRemoved = await removeClient(env);
  // Folders that hold nothing any more; what others keep there stays.
  for (const folder of [env.dataDir, env.stateDir, env.configDir]) await rmdir(folder).catch(() => undefined);
  return { settingsFiles, isClientRemoved };
}

interface Report {
  readonly before: UserConfig;
  readonly after: UserConfig;
  readonly forgotten: readonly Forgotten[];
  readonly undone: Undone;
}

function report(io: Io, { before, after, forgotten, undone }: Report): void {
  const projects = before.projects
    .map(({ project }) => project)
    .filter((project) => !after.projects.some((kept) => kept.project === project));
  const services = before.services
    .map(({ url }) => url)
    .filter((url) => !after.services.some((kept) => kept.url === url));
  io.result({ projects, services, places: forgotten, ...undone }, [
    projects.length === 0 ? "Nothing was joined" : `Left ${projects.join(", ")} on this machine, in all clones of it`,
    ...forgotten.flatMap(describePlace),
    ...services.map((url) => `The token for ${url} is forgotten here; an admin of the service can revoke it`),
    ...undone.settingsFiles.map((file) => `The hooks are out of ${file}`),
    ...(undone.isClientRemoved ? ["The installed client is removed"] : []),
  ]);
}

function describePlace({ memoryDir, removed, kept, attic }: Forgotten): readonly string[] {
  return [
    ...(memoryDir === null
      ? []
      : [`${countOf(removed, "memory", "memories")} of the team gone from ${memoryDir}/team`]),
    ...(kept.length > 0 ? [`Kept in ${memoryDir}/team, for they may stand nowhere else: ${kept.join(", ")}`] : []),
    ...(attic === null ? [] : [`Texts that pulls replaced stay in ${attic}`]),
  ];
}
