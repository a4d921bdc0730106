import { rmdir } from "node:fs/promises";
import { EXIT } from "../../shared/errors/codes.ts";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { parseProjectName } from "../../shared/project/parse-project-name.ts";
import type { CommandOptions } from "../command.ts";
import type { ClientEnvironment } from "../config.ts";
import { type Forgotten, forgetPlace } from "../install/forget-place.ts";
import { removeClient } from "../install/install-client.ts";
import { listPlaces, type Place } from "../install/list-places.ts";
import { removeHooks } from "../install/remove-hooks.ts";
import { type Failed, NOTHING_UNDONE, reportLeave, type Undone } from "../install/report-leave.ts";
import type { Io } from "../io.ts";
import { locate } from "../memory/locate.ts";
import { readUserConfig, type UserConfig, updateUserConfig } from "../user-config.ts";

/**
 * Undoes join, for this project or for all; for the machine, as join is: every clone of a project that was joined takes
 * part by itself, so leaving in one of them alone would last until its next session. Each place is named. First the
 * project is forgotten, so that no session that starts meanwhile pulls it anew; then its files and state go; with the
 * last project the hook and the installed client. What cannot be undone is said and keeps nothing else from being undone;
 * it, and what a run that was stopped has left, is for the next run.
 *
 * @returns the exit code of the first thing that could not be undone
 */
export async function leave(options: CommandOptions, io: Io): Promise<number> {
  const { env } = options;
  const leaving = findLeaving(options);
  const before = readUserConfig(env);
  const after = await updateUserConfig(env, (config) => withoutProjects(config, leaving.isLeft));
  const forgotten: Forgotten[] = [];
  const failed: Failed[] = [];
  for (const place of leaving.places) {
    const path = place.memoryDir ?? place.stateFolder;
    io.progress(`Removing the team's memories from ${path} …`);
    const error = await tryTo(async () => void forgotten.push(await forgetPlace(place)));
    if (error !== null) failed.push({ what: `The team's memories in ${path}`, error });
  }
  const undone = after.projects.length === 0 ? await removeInstallation(env, failed) : NOTHING_UNDONE;
  reportLeave(io, { before, after, forgotten, undone, failed });
  return failed[0]?.error.row.exit ?? EXIT.ok;
}

async function tryTo(work: () => Promise<unknown>): Promise<TeamMemoryError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (isTeamMemoryError(error)) return error;
    throw error;
  }
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

/**
 * The client stays as long as a settings file may still run it: a host whose hook is gone says so in every session, and
 * the client is what the next `leave` is run with.
 */
async function removeInstallation(env: ClientEnvironment, failed: Failed[]): Promise<Undone> {
  const { settingsFiles, failed: hooks } = await removeHooks(env);
  failed.push(...hooks.map(({ file, error }) => ({ what: `The hooks in ${file}`, error })));
  let isClientRemoved = false;
  if (hooks.length === 0) {
    const error = await tryTo(async () => {
      isClientRemoved = await removeClient(env);
    });
    if (error !== null) failed.push({ what: "The installed client", error });
  }
  // Folders that hold nothing any more; what others keep there stays.
  for (const folder of [env.dataDir, env.stateDir, env.configDir]) await rmdir(folder).catch(() => undefined);
  return { settingsFiles, isClientRemoved };
}
